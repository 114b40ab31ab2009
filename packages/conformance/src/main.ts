import { parseArgs } from 'node:util'
import { clauses } from './clauses.ts'
import { type Result, runClauses } from './run.ts'

/** `pnpm conformance`: checks a running server against every clause. */
const usage = `usage: pnpm conformance --url URL --operator-key KEY [options]

  --url URL            base address of the server, such as https://weir.example.com
  --operator-key KEY   an operator's key; or set WEIR_OPERATOR_KEY, which other users of the machine do not see
  --only N,N-M         check these clauses only
  --metrics-url URL    where /metrics is, if it has a port of its own
  --receiver-url URL   where the server can reach this machine (http://host:port), to check webhook deliveries
  --json               one JSON document instead of lines
  --help

exit code: 0 nothing fails, 1 something fails, 2 the program was called wrongly or the server cannot be reached`

const refuse = (fault: string): never => {
  console.error(`conformance: ${fault}\n\n${usage}`)
  process.exit(2)
}

function readArguments() {
  try {
    return parseArgs({
      // pnpm passes a separating -- on.
      args: process.argv.slice(2).filter((text) => text !== '--'),
      options: {
        url: { type: 'string' },
        'operator-key': { type: 'string', default: process.env['WEIR_OPERATOR_KEY'] ?? '' },
        only: { type: 'string' },
        'metrics-url': { type: 'string' },
        'receiver-url': { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values
  } catch (error) {
    return refuse((error as Error).message)
  }
}

function clausesNamed(text: string): Set<number> {
  const named = text.split(',').flatMap((part) => {
    const [, first, last = first] = /^\s*(\d+)(?:-(\d+))?\s*$/.exec(part) ?? refuse(`--only has ${part}`)
    return clauses.map(({ number }) => number).filter((number) => number >= Number(first) && number <= Number(last))
  })
  return named.length > 0 ? new Set(named) : refuse(`--only ${text} names no clause`)
}

const line = ({ clause, verdict, note, promise, tests }: Result) => {
  const shownBy = verdict === 'unseen' ? tests.map((test) => `\n    shown by ${test}`).join('') : ''
  return `${String(clause).padStart(3)} ${verdict.padEnd(10)} ${promise}${note === '' ? '' : `\n    ${note}${shownBy}`}`
}

const options = readArguments()
if (options.help) {
  console.log(usage)
  process.exit(0)
}
const url = options.url ?? refuse('--url is missing')
if (!URL.canParse(url)) refuse(`--url ${url} is no address`)
if (options['operator-key'] === '') refuse('--operator-key is missing')
const only = options.only === undefined ? undefined : clausesNamed(options.only)
const started = performance.now()
try {
  const me = await fetch(`${url.replace(/\/$/, '')}/v1/me`, {
    headers: { authorization: `Bearer ${options['operator-key']}` },
  })
  const { role } = (await me.json()) as { role?: string }
  if (role !== 'operator') refuse(`the key is no operator's: GET /v1/me answered ${me.status}`)
} catch (error) {
  refuse(`${url} cannot be asked: ${(error as Error).message}`)
}

const results = await runClauses(
  {
    url,
    operatorKey: options['operator-key'],
    metricsUrl: options['metrics-url'],
    receiverUrl: options['receiver-url'],
  },
  only,
)
const count = (verdict: Result['verdict']) => results.filter((result) => result.verdict === verdict).length
const counts = {
  holds: count('holds'),
  fails: count('fails'),
  unseen: count('unseen'),
  not_served: count('not served'),
}
if (options.json) console.log(JSON.stringify({ url, counts, clauses: results }, null, 2))
else {
  for (const result of results) console.log(line(result))
  console.log(
    `\n${results.length} clauses: ${counts.holds} hold, ${counts.fails} fail, ${counts.unseen} cannot be seen from here, ${counts.not_served} are not served yet (${((performance.now() - started) / 1_000).toFixed(1)} s)`,
  )
}
process.exitCode = counts.fails > 0 ? 1 : 0
