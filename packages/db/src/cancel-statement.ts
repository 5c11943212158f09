import type { EventEmitter } from 'node:events';
import { type Client, Connection } from 'pg';

/** What pg's classes have and their types lack. */
interface Cancelling extends EventEmitter {
  connect(portOrSocket: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
  end(): void;
}
type Cancellable = Client & { readonly processID: number; readonly secretKey: number };

/** Asks the server, or the pooler before it, over a connection of its own to end the statement that `client` waits for. */
export const cancelStatement = (client: Client): void => {
  const { host, port, ssl, processID, secretKey } = client as Cancellable;
  const connection = new Connection({ ssl }) as unknown as Cancelling;
  const cancel = (): void => connection.cancel(processID, secretKey);
  connection.on('error', () => {}); // the statement goes on until the server ends it
  connection.on('connect', () => (ssl ? connection.requestSsl() : cancel()));
  connection.on('sslconnect', cancel);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
};
