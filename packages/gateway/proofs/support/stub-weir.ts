import type { Transport, WeirAnswer } from '../../src/weir/transport.ts'

/** A stand-in of Weir inside the process, for what is not about money: it admits all that is asked for, and notes what is settled. */
export class StubWeir {
  readonly settled = new Map<string, Readonly<Record<string, unknown>>>()
  #runs = 0

  readonly send: Transport = ({ path, body = '{}' }) => {
    if (path === '/v1/runs') return Promise.resolve(this.#start(body))
    const asked = JSON.parse(body) as Record<string, unknown>
    const runs = (asked['runs'] ?? []) as Record<string, unknown>[]
    for (const run of runs) this.settled.set(String(run['run_id'] ?? run['external_id']), run)
    return Promise.resolve(answer(200, { results: runs.map(() => ({})) }))
  }

  /** Reads no more of a start than it needs: the stand-in should cost nothing. */
  #start(body: string): WeirAnswer {
    this.#runs += 1
    const model = /"model":"([^"]+)"/.exec(body)?.[1]
    const max_output_tokens = Number(/"max_output_tokens":(\d+)/.exec(body)?.[1])
    return answer(201, { id: `run_${this.#runs}`, reserved_usd: '0', max_output_tokens, model })
  }
}

const answer = (status: number, body: object): WeirAnswer => ({ status, headers: {}, body: JSON.stringify(body) })
