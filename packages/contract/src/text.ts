// Apart from the schemas, which the threads that read documents have no use for: they would load them for each thread.
export { storableJson, storableText } from './storable-text.ts';
export { stripBoth, stripEnd } from './strip-character.ts';
