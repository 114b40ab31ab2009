import { errorCode } from '../../values/thrown.ts'
/** Reasons why PostgreSQL is unusable, as metrics and `/readyz` name them, each with its sentence for the log. */
export const outages = {
  disk_full: 'The disk of the database is full.',
  out_of_resources: 'The database is out of memory or another resource.',
  too_many_connections: 'The database has no connection left.',
  connections_refused: 'The database does not accept connections from this program.',
  read_only: 'The database does not accept writes: it is a standby, or was set to read-only.',
  starting_or_stopping: 'The database is starting up or shutting down.',
  timeout: 'The database did not finish a statement in time.',
  pooler: 'Something between this program and the database changes its sessions.',
  connection: 'The connection to the database was lost or cannot be made.',
} as const

export type OutageReason = keyof typeof outages

/** Thrown for a connection whose session is not the requested one: a pooler stands in between. */
export class AlteredSession extends Error {}

const byCode: Readonly<Record<string, OutageReason>> = {
  '53100': 'disk_full',
  '53300': 'too_many_connections',
  '25006': 'read_only',
  // Refused at connect: the database has `allow_connections false`, or does not exist.
  '55000': 'connections_refused',
  '3D000': 'connections_refused',
  '57P04': 'connections_refused',
  '57014': 'timeout',
  ECONNREFUSED: 'connection',
  ECONNRESET: 'connection',
  EPIPE: 'connection',
  ETIMEDOUT: 'connection',
  ENOTFOUND: 'connection',
  EAI_AGAIN: 'connection',
  EHOSTUNREACH: 'connection',
}

const byClass: Readonly<Record<string, OutageReason>> = {
  '08': 'connection',
  '28': 'connections_refused',
  '53': 'out_of_resources',
  '57': 'starting_or_stopping',
}

const driverMessages =
  /^(Query read timeout|Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|the database connection does not answer)/

const silences =
  /^(Query read timeout|timeout exceeded when trying to connect|timeout expired|the database connection does not answer|Connection terminated due to connection timeout)/
const cannotConnectNow = '57P03'

/** Tells a database that has not answered in time, or is starting up, from one that refuses. */
export const isSilence = (error: unknown): boolean =>
  error instanceof Error && (silences.test(error.message) || ('code' in error && error.code === cannotConnectNow))

/** Returns why PostgreSQL is unreachable or unusable; undefined for a fault of the statement itself. */
export function outageOf(error: unknown): OutageReason | undefined {
  if (error instanceof AlteredSession) return 'pooler'
  if (!(error instanceof Error)) return undefined
  const code = errorCode(error)
  if (code !== undefined) return byCode[code] ?? byClass[code.slice(0, 2)]
  return driverMessages.test(error.message) ? 'connection' : undefined
}

/** Code by which the database refuses to write rows of an organization that changes its cell; the detail names the organization. */
const movingOrg = 'WE002'

/** True for a write that was refused because its organization changes its cell. */
export const isOfMovingOrg = (error: unknown): boolean => errorCode(error) === movingOrg

/** Returns the organization whose rows could not be written because it changes its cell. */
export const movingOrgOf = (error: unknown): string | undefined =>
  isOfMovingOrg(error) && error instanceof Error && 'detail' in error ? String(error.detail) : undefined
