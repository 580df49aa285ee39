import type { Command } from './options.ts'

const general = `
  --json          the result as one line of JSON; errors as JSON on standard error
  -q, --quiet     no progress and no remarks
  -h, --help      this text`

/** What `razorbill --help` says. */
export const overview = `Usage: razorbill COMMAND …

  login [URL]     sign in to a server
  logout          forget the sign-in
  up FILE…        upload files and folders, and print the link (- is standard input)
  resume [LINK…]  go on with uploads that were stopped
  get LINK        download a share
  ls              list your shares
  rm LINK…        delete shares

Options of every command:${general}
  --version       which version this is

RAZORBILL_URL and RAZORBILL_TOKEN stand in for a sign-in.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not signed in, 4 not found, 5 refused (password, views, rights), 6 a file exists already,
7 the server cannot be reached, 130 interrupted.`

/** What `razorbill COMMAND --help` says. */
export const help: Record<Command, string> = {
  login: `Usage: razorbill login [URL]

Asks for an API token, or for username and password, with which it makes one. Only the token is kept, in $XDG_CONFIG_HOME/razorbill
(~/.config/razorbill), readable by you alone.

Options:${general}`,
  logout: `Usage: razorbill logout

Forgets the API token. It goes on being valid until it is deleted on the account page.

Options:${general}`,
  up: `Usage: razorbill up FILE… [options]

Uploads files, folders with all that is in them, and with - standard input, and prints the link. When it is interrupted, by whatever, the
same command again sends only what is missing; so does razorbill resume.

Options:
  -e, --expires WHEN      never, 30min, 12h, 7d, 2w, 1mo, 1y
      --password[=TEXT]   protects the share; without a text it is asked for
      --max-views N       how often it may be opened
  -n, --name TEXT         a title
      --description TEXT  a note to the recipients
      --id LINK           the end of the link: 3 to 50 letters, digits, - and _
      --to ADDRESS        e-mails the link; may be given several times
      --stdin-name NAME   what the file from standard input is called${general}`,
  resume: `Usage: razorbill resume [LINK…] [--discard]

Goes on with the uploads that were stopped: all of them, or those given.

Options:
  --discard       gives them up, and deletes what had arrived${general}`,
  get: `Usage: razorbill get LINK [options]

Downloads all files of a share, with their folders. When it is interrupted, the same command again goes on where it was. Nothing is written
outside the folder, whatever the files are called.

Options:
  -o, --output DIR        into this folder; it is made where there is none
      --password[=TEXT]   the share's password; without a text it is asked for
  -f, --force             replaces files that exist already${general}`,
  ls: `Usage: razorbill ls

Lists your shares, the newest first.

Options:${general}`,
  rm: `Usage: razorbill rm LINK… [--yes]

Deletes shares and their files.

Options:
  -y, --yes       does not ask${general}`,
}
