import { type Markup, tabs } from '../components/components.ts'
import type { Visit } from '../frame/frame.ts'

/** Path of the entry of the navigation that all these pages belong to. */
export const here = '/console/members'

/** Links between members, their sessions, and the ways in. */
export const peopleTabs = ({ may }: Visit, current: 'members' | 'sessions' | 'sign-in'): Markup =>
  tabs('People', [
    { href: '/console/members', text: 'Members', isHere: current === 'members' },
    ...(may('keys:read', 'admin')
      ? [{ href: '/console/sessions', text: 'Sessions', isHere: current === 'sessions' }]
      : []),
    ...(may('sso:read', 'admin') || may('keys:read', 'admin')
      ? [{ href: '/console/sign-in-settings', text: 'Sign-in', isHere: current === 'sign-in' }]
      : []),
  ])
