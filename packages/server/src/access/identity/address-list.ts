import { Type } from 'typebox'
import { validationFailed } from '../../contract/errors.ts'
import { withCheck } from '../../contract/semantic-check.ts'
import { canonicalNetwork, createNetworkMatcher, isNetwork } from '../../values/network.ts'

const maxNetworks = 500

/** Input of an IP allow-list. */
const input = Type.Object(
  {
    ip_allow_list: Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
      maxItems: maxNetworks,
      description: 'IP addresses or CIDR ranges; an empty list admits every address.',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Accept a list that does not contain the address of this request.' }),
    ),
  },
  { title: 'AddressListInput', examples: [{ ip_allow_list: ['0.0.0.0/0', '::/0'] }] },
)

export const AddressListInput = withCheck(input, ({ ip_allow_list }: { ip_allow_list: string[] }) =>
  ip_allow_list.flatMap((text, i) =>
    isNetwork(text)
      ? []
      : [
          {
            field: `ip_allow_list.${i}`,
            code: 'invalid_format' as const,
            message: 'Must be an IP address or a CIDR range.',
          },
        ],
  ),
)

/**
 * Returns the list in canonical form, each range once. A list that would lock out its own author is refused unless forced; an
 * author whom the list does not bind has no address to lose.
 */
export function normalizeAddressList(
  given: readonly string[],
  author: { address: string } | undefined,
  isForced: boolean,
) {
  const list = [...new Set(given.map(canonicalNetwork))]
  if (author && !isForced && list.length > 0 && !createNetworkMatcher(list).contains(author.address))
    throw validationFailed([
      {
        field: 'ip_allow_list',
        code: 'out_of_range',
        message: `Must contain your own address, ${author.address}, or your next request would be refused. Send "force": true to set it anyway.`,
      },
    ])
  return list
}
