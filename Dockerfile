# Any image with Node.js 24 and npm will do; a release names it by its digest (docs/install.md).
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
# Behind a proxy that signs certificates of its own, its authority comes as a secret (docs/install.md). No image keeps it.
ENV NODE_EXTRA_CA_CERTS=/run/secrets/ca
# The manifests alone decide what is installed: a change of the program leaves these layers as they are.
COPY scripts/toolchain.sh scripts/
RUN --mount=type=secret,id=ca \
    bash -c '. scripts/toolchain.sh && npm install --global --ignore-scripts --no-audit --no-fund "pnpm@$pnpm_version"'
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
COPY packages/server/package.json packages/server/
COPY packages/gateway/package.json packages/gateway/
# Packages run no code of theirs here, and what the package manager notes about this run, with its date, is left out.
RUN --mount=type=secret,id=ca \
    pnpm install --frozen-lockfile --prod --ignore-scripts --filter @weir/server... && \
    find . \( -name .modules.yaml -o -name '.pnpm-workspace-state*.json' \) -delete

FROM ${NODE_IMAGE}
ARG VERSION=unknown
ARG REVISION=unknown
ARG CREATED=1970-01-01T00:00:00Z
ARG BASE_NAME=unknown
ARG BASE_DIGEST=unknown
LABEL org.opencontainers.image.title="Weir" \
      org.opencontainers.image.description="Weir: api, worker, migrate and gateway in one image" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.base.name="${BASE_NAME}" \
      org.opencontainers.image.base.digest="${BASE_DIGEST}"
WORKDIR /app
ENV NODE_ENV=production SVC_HOST=0.0.0.0 SVC_PORT=8080
COPY --from=packages /app ./
# Everything that .dockerignore lets through: the list of what is shipped, also in the archive for machines without containers.
COPY . ./
# The files stay root's: the program cannot change itself.
# By number: Kubernetes cannot tell whether a name is root’s. Any other user will do as well.
USER 1000
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SVC_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/server/src/main.ts"]
CMD ["api"]
