import type { Command } from './options.ts'

const general = `
  --json          the result as one line of JSON; errors as JSON on standard error
  -q, --quiet     no progress and no messages
  -h, --help      this text`

/** The text of `razorbill --help`. */
export const overview = `Usage: razorbill COMMAND …

  login [URL]     sign in to a server
  logout          forget the sign-in
  up FILE…        upload files and folders, and print the link (- is standard input)
  resume [LINK…]  continue interrupted uploads
  get LINK        download a share, or some of its files
  ls              list your shares
  rm LINK…        delete shares
  links …         list, add and change the links of a share
  recipients …    list, add, email and remove the recipients of a share

Options of every command:${general}
  --version       show the version

RAZORBILL_URL and RAZORBILL_TOKEN replace a sign-in.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not signed in, 4 not found, 5 refused (password, views, rights), 6 a file exists already,
7 the server cannot be reached, 130 interrupted.`

/** The text of `razorbill COMMAND --help`. */
export const help: Record<Command, string> = {
  login: `Usage: razorbill login [URL]

Asks for an API token, or for username and password, with which it creates one. Only the token is stored, in $XDG_CONFIG_HOME/razorbill
(~/.config/razorbill), readable only by you.

Options:${general}`,
  logout: `Usage: razorbill logout

Deletes the stored API token. The token stays valid until you delete it on the account page.

Options:${general}`,
  up: `Usage: razorbill up FILE… [options]

Uploads files, folders with everything in them, and standard input (-), and prints the link. If it is interrupted, the same command
uploads only what is missing; so does razorbill resume.

Options:
  -e, --expires WHEN      never, 30min, 12h, 7d, 2w, 1mo, 1y
      --encrypt           encrypts contents, names and description; the key is in the link, and the server can't read them
      --password[=TEXT]   protects the share; asks for the password without a text
      --max-views N       how often it may be opened
      --max-downloads N   how many may download it
  -n, --name TEXT         a title
      --description TEXT  a note to the recipients
      --id LINK           the end of the link: 3 to 50 letters, digits, - and _
      --to ADDRESS        emails this recipient a link of their own; can be repeated
      --verify-email      these links open only with a code that is sent to the recipient
      --stdin-name NAME   name of the file from standard input${general}`,
  resume: `Usage: razorbill resume [LINK…] [--discard]

Continues interrupted uploads: all of them, or those named.

Options:
  --discard       deletes them and what was uploaded${general}`,
  get: `Usage: razorbill get LINK [FILE…] [options]

Downloads all files of a share, or only the files and folders named, with their folders. The link of a file downloads that file. An encrypted
share needs its whole link, in quotes: 'https://…#k=…'. If it is
interrupted, the same command continues it. Nothing is written outside the folder, whatever the files are called.

Options:
  -o, --output DIR        the folder to save to; it is created if needed
      --password[=TEXT]   the share's password; asks for it without a text
  -f, --force             replaces files that exist already${general}`,
  ls: `Usage: razorbill ls

Lists your shares, the newest first.

Options:${general}`,
  rm: `Usage: razorbill rm LINK… [--yes]

Deletes shares and their files.

Options:
  -y, --yes       does not ask${general}`,
  links: `Usage: razorbill links list SHARE
       razorbill links add SHARE [options]
       razorbill links change|replace|off|on|remove SHARE LINK [options]

A share can have several links, each with its own rules. SHARE is the first link, with which the share was created.

  list            shows the links, their rules, and what was used of them
  add             adds a link, and prints it
  change          changes the rules that are named as options
  replace         gives the link a new end, and stops the old one
  off, on         turns the link off or on
  remove          deletes the link; the first one can only be turned off

Options:
  -l, --label TEXT        whom the link is for; only you see it
  -e, --expires WHEN      30min, 12h, 7d, 2w, 1mo, 1y; never: together with the share
      --password[=TEXT]   protects the link; asks for the password without a text
      --max-views N       how often it may be opened; none: no limit
      --max-downloads N   how many may download; none: no limit
      --id LINK           the end of the new link: 3 to 50 letters, digits, - and _
      --to ADDRESS        adds this recipient, who gets the new link by email
      --verify-email      the new link opens only with a code that is sent to the recipient${general}`,
  recipients: `Usage: razorbill recipients SHARE [options]

Lists the recipients of a share: their links, when they were emailed and opened the link, and whether they have downloaded everything. SHARE
is the link that the share was created with.

The first three options can be repeated:
      --add ADDRESS       adds a recipient, who gets a link by email
      --remove ADDRESS    removes a recipient, whose link stops
      --mail ADDRESS      emails a recipient the link again
      --verify-email      the links of all recipients open only with a code that is sent to them
      --no-verify-email   these links open without a code${general}`,
}
