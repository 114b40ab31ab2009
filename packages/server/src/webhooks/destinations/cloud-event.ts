/** Returns an event in the structured mode of CloudEvents 1.0, from its stored payload: the same bytes at every attempt. */
export function cloudEvent(payload: string, publicUrl: string): string {
  const { id, type, created_at, org_id, data } = JSON.parse(payload) as Record<string, unknown>
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: `${publicUrl}/v1/orgs/${String(org_id)}`,
    type: `weir.${String(type)}`,
    time: created_at,
    datacontenttype: 'application/json',
    data,
  })
}
