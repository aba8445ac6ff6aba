// Mathematics is typeset by the copy of MathJax that stands beside this file; pages without any do not load it.
(() => {
  const source = new URL("tex-svg.js", document.currentScript.src);
  if (!document.querySelector(".arithmatex")) return;
  window.MathJax = {
    tex: { inlineMath: [["\\(", "\\)"]], displayMath: [["\\[", "\\]"]], processEscapes: true },
    options: { ignoreHtmlClass: ".*|", processHtmlClass: "arithmatex", enableMenu: false },
    svg: { fontCache: "global" },
  };
  const script = document.createElement("script");
  script.src = source;
  document.head.append(script);
})();
