/** The environment as it is. The only place of the project that reads it. */
export const readEnvironment = (): Readonly<Record<string, string | undefined>> => ({ ...process.env });
