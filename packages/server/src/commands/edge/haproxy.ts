import type { Edge } from './edge-proxy.ts'
import { away, contentType } from './refusals.ts'
import { bearerPattern, sessionCookie, sessionPattern } from './token-pattern.ts'

/** Writes the configuration of HAProxy 2.4 or newer. */
export function haproxyConfiguration(edge: Edge): string {
  const { cell, region, local, neighbours, listen, certificate, isBehindBalancer } = edge
  const tls = certificate === undefined ? '' : ` ssl crt ${certificate} alpn h2,http/1.1`
  const address = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const routes = neighbours.map(
    ({ name }) => `  use_backend cell_${name} if { var(txn.cell) -m str ${name} } { nbsrv(cell_${name}) gt 0 }`,
  )
  const backends = neighbours.map(({ name, url }) => backend(edge, `cell_${name}`, [new URL(url)]))
  return `# Callers of the cell ${cell} in the region ${region}. Made by "main.ts edge haproxy" from SVC_CELL, SVC_REGION and SVC_CELLS: make it
# again when they change. It chooses the cell and nothing else: every cell answers every caller, wherever a forged token leads.
global
  # Several times what a cell takes, so that the cell refuses what is too much. Beyond that HAProxy answers 400 in its own words.
  tune.bufsize 65536
  tune.http.maxhdr 2000

defaults
  mode http
  timeout connect 2s
  timeout http-request 20s
  timeout http-keep-alive 65s
  timeout client 5m
  timeout server 5m
  # Nothing is sent twice but what no cell has got.
  retries 1
  retry-on conn-failure
  option redispatch
  option http-no-delay
  default-server init-addr last,libc,none
${[500, 502, 503, 504].map((status) => refusal(status, away)).join('\n')}

resolvers system
  parse-resolv-conf
  hold valid 10s

frontend callers
  bind ${address}:${listen.port}${isBehindBalancer ? ' accept-proxy' : ''}${tls}
  # Only cells say these to each other, and by another way.
  http-request del-header x-svc-cell-link
  http-request del-header forwarded
  # What callers say of their address is nobody's word.
  http-request set-header x-forwarded-for %[src]
  http-request set-var(txn.token) req.fhdr(authorization,1)
  http-request set-var(txn.token) req.cook(${sessionCookie}) unless { req.fhdr_cnt(authorization) gt 0 }
  http-request set-var(txn.cell) ${extraction(bearerPattern())} if { var(txn.token) -m beg -i "bearer " }
  http-request set-var(txn.cell) ${extraction(sessionPattern())} if { var(txn.token) -m beg weirsession_ } !{ req.fhdr_cnt(authorization) gt 0 }
  # The API answers neither: both mean that no cell was reached.
  http-after-response set-status 503 if { status 502 } or { status 504 }
${routes.join('\n')}${routes.length > 0 ? '\n' : ''}  default_backend local

${[backend(edge, 'local', local), ...backends].join('\n')}`
}

const refusal = (status: number, text: string) =>
  `  http-error status ${status} content-type "${contentType}" string '${text}'`

const extraction = (pattern: string) => `'var(txn.token),regsub("^${pattern}$","\\1")'`

function backend({ authorities = '@system-ca' }: Edge, name: string, urls: readonly URL[]): string {
  const servers = urls.map(({ protocol, hostname, port }, i) => {
    const isTls = protocol === 'https:'
    const isName = !/^(?:\[.*\]|[\d.]+)$/.test(hostname)
    const tls = isTls
      ? ` ssl verify required ca-file ${authorities}${isName ? ` sni str(${hostname}) verifyhost ${hostname} check-sni ${hostname}` : ''}`
      : ''
    return `  server ${name}_${i + 1} ${hostname}:${port || (isTls ? 443 : 80)}${tls} check${isName ? ' resolvers system' : ''}`
  })
  return `backend ${name}
  option httpchk GET /readyz
  default-server inter 2s fall 2 rise 1
${servers.join('\n')}
`
}
