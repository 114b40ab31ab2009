import pg from 'pg'
import { asAdmin, databaseUrl } from '../../scripts/private-services.ts'

/** The database of an installation, in the hands of somebody who may do anything to it. */
export class DrillDatabase {
  readonly name: string
  private holding: pg.Client | undefined

  constructor(name: string) {
    this.name = name
  }

  /** Runs a statement in a connection of its own. */
  async run(text: string, values: readonly unknown[] = []) {
    const client = await this.connect()
    try {
      return await client.query<Record<string, unknown>>(text, [...values])
    } finally {
      await client.end()
    }
  }

  /** Runs a statement in a transaction that stays open, with its locks, until `release`. */
  async hold(text: string, values: readonly unknown[] = []) {
    this.holding ??= await this.connect()
    await this.holding.query('begin')
    await this.holding.query(text, [...values])
  }

  async release() {
    await this.holding?.end()
    this.holding = undefined
  }

  /** Lets connections in, or nobody. */
  async setOpen(isOpen: boolean) {
    await this.alter(`allow_connections ${isOpen}`)
    if (!isOpen) await this.endSessions()
  }

  /** Takes writes, or none. */
  async setWritable(isWritable: boolean) {
    await this.alter(isWritable ? 'reset default_transaction_read_only' : 'set default_transaction_read_only = on')
    await this.endSessions()
  }

  /** Ends the sessions of Weir, or some of them; returns how many. */
  async endSessions(condition = 'true'): Promise<number> {
    const { rowCount } = await asAdmin((admin) =>
      admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and application_name like 'weir%' and ${condition}`,
        [this.name],
      ),
    )
    return rowCount ?? 0
  }

  /** Has a job of the worker run now. It waits once, however often it is asked for. */
  async runJob(name: string) {
    await this.run(`select graphile_worker.add_job($1, job_key => 'drill ' || $1)`, [name])
  }

  private alter(change: string) {
    return asAdmin((admin) => admin.query(`alter database ${pg.escapeIdentifier(this.name)} ${change}`))
  }

  private async connect() {
    const client = new pg.Client({ connectionString: databaseUrl(this.name) })
    client.on('error', () => undefined)
    await client.connect()
    // Whatever is done to the database is not done to whoever does it.
    await client.query('set default_transaction_read_only = off')
    return client
  }
}
