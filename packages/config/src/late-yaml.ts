import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** The YAML library, loaded with its first use: 70 small files that a process without a service.yml or a roles file does not need. */
export const lateYaml = (): typeof import('yaml') => load('yaml') as typeof import('yaml');
