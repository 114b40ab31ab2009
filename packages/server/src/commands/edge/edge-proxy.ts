import type { Cell } from '../../region-settings.ts'

/** A proxy in front of a cell, which sends callers to the cell that their token names. */
export interface Edge {
  /** Name and region of the cell behind the proxy. */
  readonly cell: string
  readonly region: string
  /** Base URLs of the api processes of that cell. */
  readonly local: readonly URL[]
  /** The other cells of this region. Those elsewhere are the business of the cell, which knows who is bound to a region. */
  readonly neighbours: readonly Cell[]
  /** Address on which the proxy listens, and its port. */
  readonly listen: { readonly host: string; readonly port: number }
  /** File with certificate and private key; undefined for a proxy that something else ends TLS for. */
  readonly certificate: string | undefined
  /** File of the authorities by which other cells are known; undefined for those of the system. */
  readonly authorities: string | undefined
  /** True when connections begin with the address of the client, in the PROXY protocol. */
  readonly isBehindBalancer: boolean
}
