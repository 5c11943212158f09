import { createRequire } from 'node:module';
import type { Secret } from '@sheaf/contract';
import type { createTransport as CreateTransport, Transporter } from 'nodemailer';

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on port 465, STARTTLS on any other; a server without it gets no mail. */
  readonly useTls: boolean;
  readonly username: string;
  readonly password: Secret;
  readonly from: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** The same for those who read HTML. */
  readonly html?: string;
  /** Becomes its Message-ID: the same for each attempt, so that what was sent twice is seen to be one. A new one where none is given. */
  readonly id?: string;
}

/** The port on which a server speaks TLS from the first byte. */
const TLS_PORT = 465;
/** Of a server that takes connections and says nothing. */
const TIMEOUT_MS = 15_000;

/** Of `papers@example.org` and of `Sheaf <papers@example.org>`. */
const domainOf = (from: string): string => /@([\w.-]+)>?\s*$/.exec(from)?.[1] ?? 'sheaf.invalid';

/** Hands mail to the mail server. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;

  constructor({ host, port, useTls, username, password, from }: MailSettings) {
    this.#from = from;
    // loaded where there is mail to send: it takes 4 MB in each process that knows of mail
    const { createTransport } = createRequire(import.meta.url)('nodemailer') as { createTransport: typeof CreateTransport };
    this.#transport = createTransport({
      host,
      port,
      secure: useTls && port === TLS_PORT,
      requireTLS: useTls,
      ignoreTLS: !useTls,
      auth: { user: username, pass: password.reveal() },
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  /** Resolves when the server has taken it. When `signal` aborts, the connection ends and it is not known whether it has. */
  async send({ to, subject, text, html, id }: Mail, signal?: AbortSignal): Promise<void> {
    await this.#transport.sendMail({
      from: this.#from,
      // The address as an object: as text it could be read as several.
      to: { name: '', address: to },
      subject,
      text,
      // No machine that is away answers to what another machine has written.
      headers: { 'Auto-Submitted': 'auto-generated' },
      ...(html === undefined ? {} : { html }),
      ...(id === undefined ? {} : { messageId: `<${id}@${domainOf(this.#from)}>` }),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
