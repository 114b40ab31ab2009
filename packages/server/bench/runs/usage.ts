import pg from 'pg'
import { appLogin } from '../../scripts/private-services.ts'
import { formatId } from '../../src/values/id.ts'
import { openClient } from '../support/client.ts'
import { alternate, described } from '../support/report.ts'
import { startApi } from '../support/server.ts'
import { type RunsBench, slowerBy, timed } from './bench.ts'

const dayMs = 86_400_000

/** Usage of 90 days over HTTP against the bare sum of the same rollups. */
export async function benchUsage({ postgres, platform, owner, org, smoke }: RunsBench) {
  const days = 90
  const combinations = smoke ? 4 : 50
  const today = Math.floor(platform.clock.now().getTime() / dayMs) * dayMs
  const [from, to] = [new Date(today - (days - 1) * dayMs), new Date(today + dayMs)]
  await owner.query(
    `insert into usage_15m (org_id, bucket, model, provider, workflow_id, deployment_id, department_id, runs, failed_runs, input_tokens,
       output_tokens, cache_read_input_tokens, cache_creation_input_tokens, reasoning_output_tokens, cost_nano, estimated_nano,
       overrun_nano, value_nano, duration_ms, timed_runs)
     select $1, b, 'model-' || c % 10, 'openai', 'workflow-' || c % 7, 'deployment-' || c, '', 23, 1, 20000, 3000, 0, 0, 0,
            123456789, 0, 0, 0, 10000, 22
       from generate_series($2::timestamptz, $3::timestamptz - interval '15 minutes', interval '15 minutes') b, generate_series(1, $4) c`,
    [org.id, from, to, combinations],
  )
  await owner.query('vacuum (analyze) usage_15m')
  const server = await startApi(postgres)
  const client = openClient(server.port, org.key)
  const bare = new pg.Client({ connectionString: postgres.url(appLogin) })
  await bare.connect()
  await bare.query(`select set_config('app.orgs', $1, false)`, [org.id])
  const window = new URLSearchParams({ from: from.toISOString(), to: to.toISOString(), granularity: 'day' })
  const path = `/v1/orgs/${formatId('org', org.id)}/usage?${window.toString()}`
  try {
    for (const group of ['model', 'workflow_id,model']) {
      const groups = group.split(',')
      const statement = `
        select date_trunc('day', bucket, 'UTC') as period, ${groups.join(', ')}, sum(runs), sum(failed_runs), sum(input_tokens), sum(output_tokens),
               sum(cache_read_input_tokens), sum(cache_creation_input_tokens), sum(reasoning_output_tokens), sum(cost_nano), sum(estimated_nano),
               sum(overrun_nano), sum(value_nano), sum(duration_ms), sum(timed_runs)
          from usage_15m where org_id = $1 and bucket >= $2 and bucket < $3 group by 1, ${groups.join(', ')} order by 1, ${groups.join(', ')}`
      const times = Array.from({ length: smoke ? 5 : 20 }, (_, i) => i)
      const ask = () => client.get(`${path}&group_by=${encodeURIComponent(group)}&limit=200`)
      const select = async () => {
        const { rowCount } = await bare.query(statement, [org.id, from, to])
        if (rowCount === 0) throw new Error('there is no usage')
      }
      await ask()
      await select()
      const rounds = await alternate(smoke ? 1 : 5, { http: () => timed(times, ask), bare: () => timed(times, select) })
      console.log(
        `usage of ${days} days by ${group} from ${days * 96 * combinations} rollups: HTTP ${described(rounds.http)}; bare SQL ${described(rounds.bare)}; ${slowerBy(rounds.http, rounds.bare, { bar: 2, smoke })}`,
      )
    }
  } finally {
    client.close()
    await bare.end()
    await server.stop()
  }
}
