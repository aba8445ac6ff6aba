# Partita from this checkout:  docker build -t partita .
# A demonstration:             docker run --rm partita demo
# With your own folder:        docker run --rm -it -v "$PWD:/data" partita ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1

FROM python:3.12-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '.[pandas,plot]'

FROM python:3.12-slim
RUN useradd --create-home --uid 1000 custodian && mkdir /data && chown custodian /data
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links=/wheels 'partita[pandas,plot]'
USER custodian
WORKDIR /data
ENTRYPOINT ["partita"]
CMD ["--help"]
