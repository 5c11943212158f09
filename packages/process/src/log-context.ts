import { AsyncLocalStorage } from 'node:async_hooks';

type LogFields = Readonly<Record<string, unknown>>;

const fieldsOfWork = new AsyncLocalStorage<LogFields>();

/**
 * Runs `work` so that every line logged by it, or by what it calls and waits for, has `fields` too, such as the id of the
 * request. Beside those of a work around it; a field of the line itself goes before them.
 */
export const withLogFields = <T>(fields: LogFields, work: () => T): T => fieldsOfWork.run({ ...fieldsOfWork.getStore(), ...fields }, work);

/** A new object with the fields of the present work. */
export const currentLogFields = (): Record<string, unknown> => ({ ...fieldsOfWork.getStore() });
