import type { Answer, ApiClient } from '@sheaf/testkit';
import { conditionOf } from './error-condition.ts';

/** A server that nobody asks: nothing in the api but a test of a source goes there. */
export const FAR_AWAY = 'https://dav.example.org/remote.php/dav/files/ada/';
export const PASSWORD = 'geheimnis-42-geheimnis';

/** What makes a webdav source, with a password. */
export const webdavSource = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: 'Cloud',
  type: 'webdav',
  url: FAR_AWAY,
  username: 'ada',
  password: PASSWORD,
  ...fields,
});

/** What makes an S3 source. */
export const s3Source = (fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  name: 'Bucket',
  type: 's3',
  username: 'AKIA',
  password: PASSWORD,
  settings: { bucket: 'papers', region: 'eu-central-1' },
  ...fields,
});

/** Its id, once it is made. */
export const givenSource = async (client: ApiClient, source = webdavSource()): Promise<string> => {
  const { status, body } = await client.post('/api/sources', source);
  if (status !== 201) throw new Error(`a source was answered with ${status}: ${JSON.stringify(body)}`);
  return String(body['id']);
};

export const codeOf = ({ body }: Answer): unknown => conditionOf(body);

/** The fields that a refusal names. */
export const refusedFields = ({ body }: Answer): string[] => {
  const details = (body['error'] as { details?: { issues?: { path: string }[] } } | undefined)?.details;
  return (details?.issues ?? []).map(({ path }) => path);
};
