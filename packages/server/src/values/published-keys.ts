import type { MasterKeys } from './keyring.ts'

/** Master keys that stand in public files, so that trying things out needs no setup; everybody knows them. */
const published = ['bG9jYWwtb25seS1sb2NhbC1vbmx5LWxvY2FsLW9ubHk='].map((text) => Buffer.from(text, 'base64'))

const isPublished = ({ bytes }: MasterKeys[number]) => published.some((known) => known.equals(bytes))

/**
 * A key that everybody knows protects nothing, whatever its id. Where others can reach the service it makes nothing new; behind
 * another one it may still open what it made, or nobody could rotate away from it.
 */
export function judgeMasterKeys(keys: MasterKeys, isLocal: boolean): { fault?: string; warning?: string } {
  const known = keys.filter(isPublished).map(({ id }) => `\`${id}\``)
  if (known.length === 0) return {}
  if (!isLocal && isPublished(keys[0]!)) {
    return {
      fault: `begins with ${known[0]}, a key that is published with this program, but SVC_PUBLIC_URL is not local; put one of your own in front (\`id:\` and the output of \`openssl rand -base64 32\`)`,
    }
  }
  return {
    warning: isLocal
      ? `has ${known.join(', ')}, a key that is published with this program: use it to try things on this machine only.`
      : `still has ${known.join(', ')}, a key that is published with this program: finish the rotation with \`rekey\`, then remove it.`,
  }
}

const localNames = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** An address that leads to the machine of whoever uses it. */
export const isLocalUrl = (url: string) => localNames.test(new URL(url).hostname)
