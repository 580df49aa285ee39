import { useTranslation } from 'react-i18next'
import { ConfirmationProvider } from '../../components/Confirmation.tsx'
import { useOwnUser } from '../../lib/own-user.ts'
import { usePageTitle } from '../../lib/page-title.ts'
import { settings } from '../../start.ts'
import { ApiTokens } from './ApiTokens.tsx'
import { Appearance } from './Appearance.tsx'
import { DeleteAccount } from './DeleteAccount.tsx'
import { Passkeys } from './Passkeys.tsx'
import { Password } from './Password.tsx'
import { Profile } from './Profile.tsx'
import { SecondFactor } from './SecondFactor.tsx'
import { SecondFactorNotice } from './SecondFactorNotice.tsx'
import { Sessions } from './Sessions.tsx'
import { SocialLogins } from './SocialLogins.tsx'
import './account.css'

/** The user's own account: profile, sign-in methods, sessions, tokens and appearance. */
export function AccountPage() {
  const { t } = useTranslation()
  usePageTitle(t('account.title'))
  const user = useOwnUser()
  if (!user) return null
  return (
    <ConfirmationProvider>
      <section className="narrow stack">
        <h1>{t('account.title')}</h1>
        <SecondFactorNotice />
        <Profile user={user} />
        {!settings['oauth.disablePassword'] && <Password user={user} />}
        <SecondFactor user={user} />
        <Passkeys />
        <SocialLogins />
        <Sessions />
        <ApiTokens user={user} />
        <Appearance />
        <DeleteAccount user={user} />
      </section>
    </ConfirmationProvider>
  )
}
