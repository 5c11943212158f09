/**
 * Node's HTTP. An `import` of it reads all that it exports, and with that loads its WebSocket and fetch: 6 MB in each process, of which none
 * uses them.
 */
export const nodeHttp: typeof import('node:http') = process.getBuiltinModule('node:http');
