/**
 * Of what holds people's papers: its owner's, and readable for his group, for programs that copy it. The umask may take away more, but nothing
 * is ever open to everybody on the machine.
 */
export const FILE_MODE = 0o640;
export const FOLDER_MODE = 0o750;

/** Of folders that people exchange files through: how open these are is for the umask to say. */
export const EXCHANGE_FOLDER_MODE = 0o777;
