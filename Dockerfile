# One image with several commands: `api` (the service), `web` (the dashboard's server), `migrate`, `audit` (checks the data),
# `doctor` (checks the installation) and others of deploy/image-commands.mjs.
# PostgreSQL is another container, or a server that you have (deploy/compose.yaml).

FROM node:24-alpine AS build
WORKDIR /build
COPY package.json package-lock.json ./
COPY packages packages
# no install scripts: bcrypt brings its program for musl along;
# the bundler's own program is an optional package of this platform, and goes again below
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ormconfig.ts vite.config.ts ./
COPY migrations migrations
COPY demo demo
COPY src src
COPY scripts/bundle-service.mjs scripts/write-api-page.mjs scripts/write-frames.mjs scripts/
COPY README.md CONTRIBUTING.md CHANGELOG.md SECURITY.md ./
COPY docs docs
COPY examples/curl-agent/README.md examples/curl-agent/
COPY deploy/helm/agent-control-plane/README.md deploy/helm/agent-control-plane/
COPY guide guide
# the types of the service were checked where it was changed
RUN node node_modules/typescript-7/bin/tsc -p packages/client/tsconfig.build.json \
  && node node_modules/typescript-7/bin/tsc -p tsconfig.build.json --noCheck \
  && node_modules/.bin/vite build --logLevel warn \
  && node scripts/write-frames.mjs dist/src/web/ui \
  && node scripts/bundle-service.mjs dist \
  && node scripts/write-api-page.mjs dist \
  && node guide/build.mjs guide/dist
# PostgreSQL's programs are optional packages, too; what only a compiler, a debugger, a browser or a person reads is a third of the rest
RUN npm prune --omit=dev --omit=optional --workspaces=false --ignore-scripts --no-audit --no-fund \
  && find node_modules dist -type f \( -name '*.map' -o -name '*.ts' -o -name '*.cts' -o -name '*.mts' \) -delete \
  && find node_modules -type f -name '*.md' ! -iname '*licen[cs]e*' ! -iname 'notice*' -delete \
  && rm -r node_modules/swagger-ui-dist node_modules/typeorm/browser

FROM node:24-alpine
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 WEB_HOST=0.0.0.0 WEB_PORT=3000
WORKDIR /service
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
COPY --from=build /build/guide/dist guide/dist
COPY package.json openapi.json ./
COPY deploy/image-commands.mjs deploy/
USER node
EXPOSE 8000 3000
# alive, not ready: a service whose database is away must not be killed for it
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((it) => process.exit(it.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "deploy/image-commands.mjs"]
CMD ["api"]
