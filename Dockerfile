# Sheaf with everything it reads documents with. Build: docker build -t sheaf .
#   --build-arg OCR_LANGUAGES="deu fra"   more languages for OCR_LANGUAGE, beside English
#   --build-arg SHEAF_UID=1001            the user it runs as, for folders of the host that belong to somebody
FROM node:24.21.0-bookworm-slim AS node

# ---- the sources, and all npm packages in a store -----------------------------------------------------------------
FROM node AS sources
WORKDIR /app
# Fetched by the lockfile alone, so that a change of the sources costs no download.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx --yes pnpm@12.21.0 fetch --prod
COPY package.json LICENSE Procfile ./
COPY bin bin
COPY drizzle drizzle
COPY packages packages
COPY apps apps

# ---- the web client ----------------------------------------------------------------------------------------------
FROM sources AS web
RUN npx --yes pnpm@12.21.0 install --prod --frozen-lockfile --offline --filter @sheaf/web...
RUN cd apps/web && node node_modules/vite/bin/vite.js build

# ---- the documentation site, with the packages of development that only this stage has --------------------------------
FROM node AS docs
WORKDIR /app
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx --yes pnpm@12.21.0 install --dev --frozen-lockfile --filter sheaf
COPY docs docs
RUN node node_modules/vitepress/bin/vitepress.js build docs

# ---- npm packages: without those that only the build of the web client needs, 200 MB ------------------------------
FROM sources AS build
RUN npx --yes pnpm@12.21.0 install --prod --frozen-lockfile --offline --filter !@sheaf/web
COPY --from=web /app/apps/web/dist apps/web/dist
COPY --from=docs /app/docs/.vitepress/dist docs/.vitepress/dist

# ---- what runs ---------------------------------------------------------------------------------------------------
FROM node AS runtime
ARG OCR_LANGUAGES=""
ARG SHEAF_UID=10001
# The list of ./setup, and tini: the first process of a container inherits what others leave behind, and has to bury it.
RUN apt-get update \
  && apt-get install -y --no-install-recommends \
    poppler-utils qpdf \
    libreoffice-writer-nogui libreoffice-calc-nogui libreoffice-impress-nogui \
    fonts-liberation fonts-dejavu-core fonts-crosextra-carlito \
    tesseract-ocr tesseract-ocr-eng \
    bubblewrap \
    $(for language in $OCR_LANGUAGES; do echo "tesseract-ocr-$(echo "$language" | tr _ -)"; done) \
    tini \
  && rm -rf /var/lib/apt/lists/*
# The user has an entry of his own: the embedded PostgreSQL refuses a number without a name.
RUN useradd --system --uid "$SHEAF_UID" --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin sheaf \
  && install -d -o sheaf -g sheaf /data /uploads /backups /watch /user_watch /processed
COPY --from=build /app /app
WORKDIR /app
ENV DATA_PATH=/data \
  UPLOAD_PATH=/uploads \
  BACKUP_PATH=/backups \
  WATCH_FOLDER=/watch \
  USER_WATCH_BASE_DIR=/user_watch \
  PROCESSED_FILES_DIR=/processed \
  NODE_COMPILE_CACHE=/data/code-cache
USER sheaf
EXPOSE 8080
VOLUME ["/data", "/uploads", "/backups", "/watch", "/user_watch", "/processed"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=3 \
  CMD ["bin/sheaf-node", "apps/cli/src/health-check.ts"]
ENTRYPOINT ["/usr/bin/tini", "--", "bin/sheaf"]
CMD ["start"]
