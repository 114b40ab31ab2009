import { readFileSync } from 'node:fs'
import type { GatewayConfig } from '../../src/config-schema.ts'

const guide = readFileSync(new URL('../../../../docs/gateway.md', import.meta.url), 'utf8')

const blockIn = (section: string, language: string): string => {
  const pattern = new RegExp(`\\n### ${section}\\n.*?\`\`\`${language}\\n(.*?)\`\`\``, 's')
  const [, block] = pattern.exec(guide) ?? []
  if (block === undefined) throw new Error(`the guide shows no ${language} for ${section}`)
  return block
}

/** Returns the configuration that a section of the guide shows, so that tests follow it word by word. */
export const configInGuide = (section: string): Pick<GatewayConfig, 'providers' | 'models'> =>
  JSON.parse(blockIn(section, 'json')) as Pick<GatewayConfig, 'providers' | 'models'>

/** Makes the client that a section of the guide shows, by the very text that stands there. */
export async function clientInGuide<T>(
  section: string,
  classes: Record<string, unknown>,
  { gateway, ownerKey }: { readonly gateway: { readonly url: string }; readonly ownerKey: string },
): Promise<T> {
  const code = blockIn(section, 'ts').replace(/^new /m, 'return new ')
  const program = `export default (GATEWAY, AGENT_KEY, ${Object.keys(classes).join()}) => {\n${code}}`
  const { default: make } = (await import(`data:text/javascript,${encodeURIComponent(program)}`)) as {
    default: (...given: unknown[]) => T
  }
  return make(gateway.url, ownerKey, ...Object.values(classes))
}
