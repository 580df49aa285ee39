/** What the e-mails say until an administrator changes it. */
export const defaultTexts = {
  shareRecipientsSubject: 'Files shared with you',
  shareRecipientsMessage: `Hello,

{creator} has shared files with you. View or download them here:

{shareUrl}

The link expires: {expires}
Note: {desc}`,
  reverseShareSubject: 'Your upload link was used',
  reverseShareMessage: `Hello,

somebody has uploaded files through the link that you made. View or download them here:

{shareUrl}`,
  resetPasswordSubject: 'Reset your password',
  resetPasswordMessage: `Hello,

a new password was asked for your account. Choose one here within an hour:

{url}

If it was not you, there is nothing that you need to do.`,
  inviteSubject: 'You have been invited',
  inviteMessage: `Hello,

an account was made for you. Follow this link to use it:

{url}`,
} as const
