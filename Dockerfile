FROM node:24-slim AS packages
WORKDIR /app
# The manifests alone decide what is installed: a change of the program leaves this layer as it is.
COPY scripts/toolchain.sh scripts/
RUN bash -c '. scripts/toolchain.sh && npm install --global --no-audit --no-fund "pnpm@$pnpm_version"'
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/server/package.json packages/server/
COPY packages/gateway/package.json packages/gateway/
RUN pnpm install --frozen-lockfile --prod --filter @weir/server...

FROM node:24-slim
LABEL org.opencontainers.image.title="Weir" \
      org.opencontainers.image.description="The Weir server: api, worker and migrate in one image" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_PORT=8080
COPY --from=packages /app/node_modules node_modules
COPY --from=packages /app/packages/server/node_modules packages/server/node_modules
COPY --from=packages /app/packages/gateway/node_modules packages/gateway/node_modules
COPY package.json openapi.json CHANGELOG.md releases.json ./
COPY docs docs
COPY packages/server/package.json packages/server/
COPY packages/server/migrations packages/server/migrations
COPY packages/server/src packages/server/src
COPY packages/gateway/package.json packages/gateway/
COPY packages/gateway/src packages/gateway/src
# The files stay root's: the program cannot change itself.
# By number: Kubernetes cannot tell whether a name is root’s. Any other user will do as well.
USER 1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/src/main.ts"]
CMD ["api"]
