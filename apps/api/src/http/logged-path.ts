/** The path of a request as the log has it: the token of a share link opens it for whoever reads the log. */
export const loggedPath = (path: string): string => path.replace(/^\/s\/[^/]+/, '/s/***');
