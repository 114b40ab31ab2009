import { Type } from 'typebox'
import { validationFailed } from '../contract/errors.ts'
import { withCheck } from '../contract/semantic-check.ts'
import { isNetwork, networks, normalNetwork } from '../values/network.ts'

const maxNetworks = 500

/** Input of an IP allow-list. */
const input = Type.Object(
  {
    ip_allow_list: Type.Array(Type.String({ minLength: 1, maxLength: 49 }), {
      maxItems: maxNetworks,
      description: 'Addresses or CIDR networks; empty admits every address.',
      examples: [['203.0.113.0/24', '2001:db8::/32']],
    }),
    force: Type.Optional(
      Type.Boolean({ default: false, description: 'Accept a list without the address that this request comes from.' }),
    ),
  },
  { examples: [{ ip_allow_list: ['0.0.0.0/0', '::/0'] }] },
)

export const AddressListInput = withCheck(input, ({ ip_allow_list }: { ip_allow_list: string[] }) =>
  ip_allow_list.flatMap((text, i) =>
    isNetwork(text)
      ? []
      : [
          {
            field: `ip_allow_list.${i}`,
            code: 'invalid_format' as const,
            message: 'This is no address and no CIDR network.',
          },
        ],
  ),
)

/**
 * Returns the list in canonical form, each range once. A list that would lock out its own author is refused unless forced; an
 * author whom the list does not bind has no address to lose.
 */
export function acceptedList(given: readonly string[], author: { address: string } | undefined, isForced: boolean) {
  const list = [...new Set(given.map(normalNetwork))]
  if (author && !isForced && list.length > 0 && !networks(list).contains(author.address))
    throw validationFailed([
      {
        field: 'ip_allow_list',
        code: 'out_of_range',
        message: `Your own address, ${author.address}, is not in the list: your next request would be refused. Send "force": true if you mean it.`,
      },
    ])
  return list
}
