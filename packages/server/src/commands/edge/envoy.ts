import type { Cell } from '../../region-settings.ts'
import type { Edge } from './edge-proxy.ts'
import { away, contentType, malformed } from './refusals.ts'
import { bearerPattern, sessionCookie, sessionPattern } from './token-pattern.ts'

const typed = (type: string, more: object = {}) => ({ '@type': `type.googleapis.com/${type}`, ...more })
/** More than a cell takes, so that the cell refuses what is too much. */
const most = 1_000_000

/** Writes the configuration of Envoy 1.27 or newer, as JSON. */
export function envoyConfiguration(edge: Edge): string {
  const { cell, region, local, neighbours, listen, isBehindBalancer } = edge
  const configuration = {
    node: { id: `edge-of-${cell}`, cluster: `cells-of-${region}` },
    static_resources: {
      listeners: [
        {
          name: 'callers',
          address: addressOf(listen.host === '' ? '::' : listen.host, listen.port, listen.host === ''),
          per_connection_buffer_limit_bytes: 65_536,
          ...(isBehindBalancer && {
            listener_filters: [
              {
                name: 'proxy_protocol',
                typed_config: typed('envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol'),
              },
            ],
          }),
          filter_chains: [{ filters: [connectionManager(edge)], ...tlsOf(edge) }],
        },
      ],
      clusters: [
        cluster(edge, 'local', local),
        ...neighbours.flatMap(({ name, url }) => [cluster(edge, `only_${name}`, [new URL(url)]), fallback(name)]),
      ],
    },
  }
  return `${JSON.stringify(configuration, null, 2)}\n`
}

function connectionManager({ neighbours }: Edge) {
  return {
    name: 'http',
    typed_config: typed('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager', {
      stat_prefix: 'callers',
      // The last address in X-Forwarded-For is then that of the peer, whatever a caller has written there.
      use_remote_address: true,
      xff_num_trusted_hops: 0,
      // The path goes on as it came: cells judge spellings themselves.
      normalize_path: false,
      merge_slashes: false,
      path_with_escaped_slashes_action: 'KEEP_UNCHANGED',
      // A body is asked for by the cell, once it has let its caller in.
      proxy_100_continue: true,
      generate_request_id: false,
      server_header_transformation: 'PASS_THROUGH',
      request_headers_timeout: '20s',
      stream_idle_timeout: '300s',
      common_http_protocol_options: { idle_timeout: '65s', max_headers_count: 2_000 },
      local_reply_config: {
        mappers: [mapper('GE', 500, 503, away), mapper('LE', 499, 400, malformed)],
      },
      route_config: {
        name: 'cells',
        // Only cells say this to each other, and by another way.
        request_headers_to_remove: ['x-svc-cell-link', 'forwarded'],
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: [...neighbours.flatMap(routesTo), { match: { prefix: '/' }, route: routeTo('local') }],
          },
        ],
      },
      http_filters: [
        {
          name: 'router',
          typed_config: typed('envoy.extensions.filters.http.router.v3.Router', { suppress_envoy_headers: true }),
        },
      ],
    }),
  }
}

function routesTo({ name }: Cell) {
  const matching = (header: string, regex: string) => ({ name: header, string_match: { safe_regex: { regex } } })
  const cookie = `(?:.*; *)?${sessionCookie}=${sessionPattern(name)}(?:;.*)?`
  const route = routeTo(`cell_${name}`)
  return [
    { match: { prefix: '/', headers: [matching('authorization', bearerPattern(name))] }, route },
    {
      match: {
        prefix: '/',
        headers: [{ name: 'authorization', present_match: true, invert_match: true }, matching('cookie', cookie)],
      },
      route,
    },
  ]
}

const routeTo = (name: string) => ({
  cluster: name,
  // A cell answers in its own time, and streams for long.
  timeout: '0s',
  // Nothing is sent twice but what no cell has got.
  retry_policy: { retry_on: 'connect-failure', num_retries: 1 },
})

const mapper = (op: string, limit: number, status: number, text: string) => ({
  filter: {
    status_code_filter: {
      comparison: { op, value: { default_value: limit, runtime_key: `edge.status_${op.toLowerCase()}` } },
    },
  },
  status_code: status,
  body: { inline_string: text },
  headers_to_add: [
    { header: { key: 'content-type', value: contentType }, append_action: 'OVERWRITE_IF_EXISTS_OR_ADD' },
  ],
})

/** A cell of this region, and the local one while it is away: it answers in its place, or hands the request on by its own way. */
const fallback = (name: string) => ({
  name: `cell_${name}`,
  connect_timeout: '2s',
  lb_policy: 'CLUSTER_PROVIDED',
  cluster_type: {
    name: 'envoy.clusters.aggregate',
    typed_config: typed('envoy.extensions.clusters.aggregate.v3.ClusterConfig', {
      clusters: [`only_${name}`, 'local'],
    }),
  },
})

function cluster({ authorities }: Edge, name: string, urls: readonly URL[]) {
  const isTls = urls.some(({ protocol }) => protocol === 'https:')
  const [{ hostname } = { hostname: '' }] = urls
  return {
    name,
    type: 'STRICT_DNS',
    connect_timeout: '2s',
    respect_dns_ttl: true,
    load_assignment: {
      cluster_name: name,
      endpoints: [
        {
          lb_endpoints: urls.map((url) => ({
            endpoint: {
              address: addressOf(
                url.hostname.replace(/^\[|\]$/g, ''),
                Number(url.port || (url.protocol === 'https:' ? 443 : 80)),
              ),
            },
          })),
        },
      ],
    },
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    health_checks: [
      {
        timeout: '2s',
        interval: '2s',
        unhealthy_threshold: 2,
        healthy_threshold: 1,
        http_health_check: { path: '/readyz', host: 'edge' },
      },
    ],
    circuit_breakers: {
      thresholds: [{ max_connections: most, max_pending_requests: most, max_requests: most, max_retries: most }],
    },
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': typed(
        'envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        { explicit_http_config: { http_protocol_options: {} } },
      ),
    },
    ...(isTls && {
      transport_socket: {
        name: 'tls',
        typed_config: typed('envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext', {
          sni: hostname,
          common_tls_context: {
            validation_context: {
              trusted_ca: { filename: authorities ?? '/etc/ssl/certs/ca-certificates.crt' },
              match_typed_subject_alt_names: [{ san_type: 'DNS', matcher: { exact: hostname } }],
            },
          },
        }),
      },
    }),
  }
}

function tlsOf({ certificate }: Edge) {
  if (certificate === undefined) return {}
  const file = { filename: certificate }
  return {
    transport_socket: {
      name: 'tls',
      typed_config: typed('envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext', {
        common_tls_context: {
          alpn_protocols: ['h2', 'http/1.1'],
          tls_certificates: [{ certificate_chain: file, private_key: file }],
        },
      }),
    },
  }
}

const addressOf = (host: string, port: number, isDual = false) => ({
  socket_address: { address: host, port_value: port, ...(isDual && { ipv4_compat: true }) },
})
