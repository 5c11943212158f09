import { recordAudit } from '@sheaf/accounts/users';
import { createSourceRequest, sourceBody } from '@sheaf/contract/sources';
import { uuidv7 } from '@sheaf/process';
import { createSource, firstSyncAt, getSource, sealSourceSecret } from '@sheaf/sources';
import { jsonRoute, type Route } from '../http/route.ts';
import { requireLocalFolder } from './local-folder.ts';
import { newSource } from './new-source.ts';
import { toSourceBody } from './source-body.ts';
import type { SourceServices } from './source-services.ts';
import { requireWebdavIfMeant } from './webdav-feature.ts';

export const create = (services: SourceServices): Route =>
  jsonRoute({
    method: 'post',
    path: '/api/sources',
    access: 'sources.create',
    summary: 'Create a source; its first sync starts immediately',
    description:
      'Imported documents belong to the creator. `password` (for S3: the secret access key, with the access key ID as `username`) is encrypted and never returned. A `local_folder` reads a folder of the server, in `settings.path` or `url`: it must be inside LOCAL_SOURCE_ROOTS and requires `sources.update` for all sources.',
    errors: { FEATURE_DISABLED: 'NOT_FOUND' },
    body: createSourceRequest,
    status: 201,
    response: sourceBody,
    handle: async ({ body, principal, context }) => {
      const { config, database, clock } = services;
      requireWebdavIfMeant(body.type, services);
      await requireLocalFolder(body, config.sources.localRoots, principal);
      const { fields, secret } = newSource(body);
      const id = uuidv7();
      await database.db.transaction(async (tx) => {
        await createSource(tx, id, {
          ...fields,
          ownerId: principal.userId,
          type: body.type,
          sealedSecret: secret === undefined ? null : sealSourceSecret(secret, id, config.signIn.appSecretKey),
          nextSyncAt: firstSyncAt(fields, clock.now()),
        });
        await recordAudit(tx, {
          actor: principal,
          address: context.address,
          action: 'source.created',
          outcome: 'success',
          subject: { type: 'source', id },
          details: { name: fields.name, type: body.type },
        });
      });
      return toSourceBody(await getSource(database.db, principal, id, 'sources.create'));
    },
  });
