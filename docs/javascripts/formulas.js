// Mathematics is typeset by the copy of MathJax that stands beside this file; pages without any do not load it.
(() => {
  const source = new URL("tex-svg.js", document.currentScript.src);
  if (!document.querySelector(".arithmatex")) return;
  // A formula in a line that is longer than the line gets a line of its own, in which it scrolls.
  const fit = () => {
    const inline = [...document.querySelectorAll("span.arithmatex")];
    inline.forEach((formula) => formula.classList.remove("wide"));
    const wide = inline.filter((formula) => formula.offsetWidth > formula.parentElement.clientWidth);
    wide.forEach((formula) => formula.classList.add("wide"));
  };
  window.MathJax = {
    tex: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], processEscapes: true },
    options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex", enableMenu: false },
    svg: { fontCache: "global" },
    startup: {
      pageReady: () =>
        MathJax.startup.defaultPageReady().then(() => {
          fit();
          addEventListener("resize", fit);
        }),
    },
  };
  const script = document.createElement("script");
  script.src = source;
  document.head.append(script);
})();
