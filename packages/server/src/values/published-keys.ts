import type { MasterKeys } from './keyring.ts'
import { elementAt } from './present.ts'

/** Master keys that were published in this repository, as the default of compose.yaml in 0.1.0. They protect nothing. */
const publishedKeys = ['bG9jYWwtb25seS1sb2NhbC1vbmx5LWxvY2FsLW9ubHk='].map((text) => Buffer.from(text, 'base64'))

const isPublished = ({ bytes }: MasterKeys[number]) => publishedKeys.some((known) => known.equals(bytes))

/**
 * Checks for published master keys. When the service is not local, one may not come first, where it would encrypt new data;
 * behind another key it may still decrypt, or nobody could rotate away from it.
 */
export function checkMasterKeys(keys: MasterKeys, isLocal: boolean): { fault?: string; warning?: string } {
  const known = keys.filter(isPublished).map(({ id }) => `\`${id}\``)
  if (known.length === 0) return {}
  if (!isLocal && isPublished(elementAt(keys, 0))) {
    return {
      fault: `begins with ${known[0]}, a key that is published with this program, but SVC_PUBLIC_URL is not local; put your own key first (\`id:\` and the output of \`openssl rand -base64 32\`)`,
    }
  }
  return {
    warning: isLocal
      ? `has ${known.join(', ')}, a key that is published with this program: use it only for trials on this machine.`
      : `still has ${known.join(', ')}, a key that is published with this program: finish the rotation with \`rekey\`, then remove it.`,
  }
}

const localNames = /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** True when a URL leads to the machine of its own user. */
export const isLocalUrl = (url: string) => localNames.test(new URL(url).hostname)
