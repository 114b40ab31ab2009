import type { Addresses } from '../platform/infra/addresses.ts'
import { formatId } from '../values/id.ts'
import type { SlackManifest } from './schema.ts'

/** Path at which Slack tells what was pressed. */
export const interactionsPath = '/slack/:org_id/interactions'

/** Powers of the bot: to write, and to see whose address of e-mail a user has, by which a user is known to be a member. */
export const botScopes = ['chat:write', 'users:read', 'users:read.email']

/** Returns the manifest from which Slack makes the app of an organization. */
export const manifestOf = (addresses: Addresses, orgId: string): SlackManifest => ({
  display_information: {
    name: 'Weir',
    description: 'Tells what AI agents ask approval for, and takes the decision.',
    background_color: '#123a4a',
  },
  features: { bot_user: { display_name: 'Weir', always_online: false } },
  oauth_config: { scopes: { bot: [...botScopes] } },
  settings: {
    interactivity: {
      is_enabled: true,
      request_url: addresses.publicUrl() + interactionsPath.replace(':org_id', formatId('org', orgId)),
    },
    org_deploy_enabled: false,
    socket_mode_enabled: false,
    token_rotation_enabled: false,
  },
})
