import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { SMTPServer } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly source: string;
}

export interface MailServer extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** What the service is started with to send through it. */
  readonly environment: Readonly<Record<string, string>>;
}

const USERNAME = 'sheaf';
const PASSWORD = 'of the mail server';

/**
 * A mail server that takes mail from who signs in, and keeps it. `refuse` says which addresses it does not know, or with which
 * error it refuses them.
 */
export const startMailServer = async (refuse: (to: string) => boolean | Error = () => false): Promise<MailServer> => {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) =>
      username === USERNAME && password === PASSWORD ? callback(null, { user: username }) : callback(new Error('wrong credentials')),
    onRcptTo: ({ address }, _session, callback) => {
      const refused = refuse(address);
      callback(refused === true ? new Error('no such mailbox') : refused === false ? null : refused);
    },
    onData: (stream, { envelope }, callback) => {
      const keep = async (): Promise<void> => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), source: await text(stream) });
      };
      callbackify(keep)(callback);
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    environment: {
      SMTP_HOST: '127.0.0.1',
      SMTP_PORT: String(port),
      SMTP_USERNAME: USERNAME,
      SMTP_PASSWORD: PASSWORD,
      SMTP_FROM_ADDRESS: 'papers@example.org',
      SMTP_USE_TLS: 'false',
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** The link in a mail, put together again where quoted-printable has broken it. */
export const linkIn = ({ source }: ReceivedMail): URL => {
  const plain = source.replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const link = /https?:\/\/\S+/.exec(plain)?.[0];
  if (link === undefined) throw new Error(`no link in ${source}`);
  return new URL(link);
};
