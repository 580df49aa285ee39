import type { AdminVariable } from '../../../../src/config/contract.ts'

export const categories = ['general', 'share', 'email', 'smtp', 'oauth'] as const
export type Category = (typeof categories)[number]

/**
 * The groups of settings, by the beginnings of their names. The last group of a category has all
 * others.
 */
const groups: Record<Category, Record<string, string[]>> = {
  general: {
    appearance: ['appName', 'appUrl', 'logo', 'accentColor', 'showBird', 'welcomeText', 'footer', 'showHomePage'],
    operation: ['session', 'requireAdmin', 'checkForUpdates'],
    other: [''],
  },
  share: { people: ['allow', 'require'], limits: ['max', 'default', 'grace', 'reminder'], technical: [''] },
  email: {
    recipients: ['enableShareEmailRecipients', 'shareRecipients'],
    reverseShare: ['reverseShare'],
    resetPassword: ['resetPassword'],
    invite: ['invite'],
    other: [''],
  },
  smtp: { server: ['enabled', 'host', 'port', 'tls', 'allow'], sender: [''] },
  oauth: {
    github: ['github-'],
    google: ['google-'],
    microsoft: ['microsoft-'],
    discord: ['discord-'],
    oidc: ['oidc-'],
    general: [''],
  },
}

export interface Group {
  name: string
  variables: AdminVariable[]
}

/** Returns the settings of a category by group, without empty groups. */
export function groupsOf(category: Category, variables: AdminVariable[]): Group[] {
  const left = new Set(variables)
  return Object.entries(groups[category]).flatMap(([name, beginnings]) => {
    const own = [...left].filter((variable) => beginnings.some((beginning) => variable.name.startsWith(beginning)))
    for (const variable of own) left.delete(variable)
    return own.length > 0 ? [{ name, variables: own }] : []
  })
}

export function categoryOf(key: string): Category {
  return key.slice(0, key.indexOf('.')) as Category
}

export function isCategory(name: string | undefined): name is Category {
  return categories.includes(name as Category)
}
