import type { Secret } from '@sheaf/contract';
import { createTransport, type Transporter } from 'nodemailer';

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
}

/** The port on which a server speaks TLS from the first byte. */
const TLS_PORT = 465;
/** Of a server that takes connections and says nothing. */
const TIMEOUT_MS = 15_000;

/** Hands mail to the mail server. */
export class Mailer {
  readonly #transport: Transporter;
  readonly #from: string;

  constructor({ host, port, useTls, username, password, from }: MailSettings) {
    this.#from = from;
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

  /** Resolves when the server has taken it. */
  async send({ to, subject, text }: Mail): Promise<void> {
    // The address as an object: as text it could be read as several.
    await this.#transport.sendMail({ from: this.#from, to: { name: '', address: to }, subject, text });
  }
}
