const daySeconds = 86_400

/** Returns an export of OpenAI's costs of yesterday, with dollars by line item. */
export function costsOfYesterday(nowMs: number, items: readonly (readonly [string, number])[]): string {
  const start = Math.floor(nowMs / (daySeconds * 1_000)) * daySeconds - daySeconds
  const results = items.map(([line_item, value]) => ({ amount: { value, currency: 'usd' }, line_item }))
  return JSON.stringify({ object: 'page', data: [{ start_time: start, end_time: start + daySeconds, results }] })
}
