# The service, the worker and every other command of `uac`: one image.
#   docker build -t user-as-code .
#   docker run --rm user-as-code uac --help
FROM python:3.13.7-slim-bookworm AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /build
RUN python -m venv /opt/uac
ENV PATH=/opt/uac/bin:$PATH

# Versions are those that were tested. Packages that only wordllama's own code needs are removed again (36 MB).
COPY requirements requirements
RUN pip install -r requirements/serve.txt -r requirements/models.txt -r requirements/otel.txt \
      -r requirements/work.txt \
    && pip uninstall --yes -r requirements/unused.txt

COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m venv /opt/build \
    && /opt/build/bin/pip install -r requirements/build.txt \
    && /opt/build/bin/python -m hatchling build --target wheel --directory /dist \
    && pip install --no-deps /dist/*.whl

FROM python:3.13.7-slim-bookworm

RUN useradd --uid 10001 --create-home --home-dir /home/uac uac \
    && install --directory --owner uac --group uac --mode 0700 /data
COPY --from=build /opt/uac /opt/uac
ENV PATH=/opt/uac/bin:$PATH PYTHONUNBUFFERED=1 UAC_STORE=/data/memory.db
USER 10001
WORKDIR /home/uac
VOLUME /data
EXPOSE 8311

HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8311/readyz', timeout=4)"]

# Outside of the container only through the port that is published. Clients need a key: `uac keys create NAME`.
CMD ["uac", "serve", "--host", "0.0.0.0"]
