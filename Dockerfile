# One image for all processes; the command says which: api (the default), worker, compactor, or `weir …`.
# Built on Node 24, small, without npm's development packages and without the embedded Postgres, as an ordinary user.
FROM node:24-bookworm-slim AS build
WORKDIR /weir
COPY package.json package-lock.json .npmrc ./
COPY libs/event-store/patches ./libs/event-store/patches
RUN npm ci --omit=optional
COPY tsconfig.json tsconfig.build.json ./
COPY libs ./libs
COPY apps ./apps
RUN npm run build && npm prune --omit=dev --omit=optional

FROM node:24-bookworm-slim
ENV NODE_ENV=production WEIR_HOST=0.0.0.0 WEIR_PORT=7117 WEIR_HEALTH_PORT=7118
WORKDIR /weir
COPY --from=build /weir/node_modules ./node_modules
COPY --from=build /weir/dist ./dist
COPY package.json models.yml ./
COPY migrations ./migrations
COPY pipelines ./pipelines
COPY apps/cli/bin ./apps/cli/bin
USER node
EXPOSE 7117 7118
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "apps/cli/bin/check-health.mjs", "7117", "7118"]
STOPSIGNAL SIGTERM
CMD ["node", "dist/apps/api/src/main.js"]
