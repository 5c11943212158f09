export type Substituted = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly message: string };

/** `$${` is a plain `${`; then a name, and what stands in for it where it is unset; then what only looks like one. */
const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}|\$\{/g;

/** `text` with the values of `${NAME}` and `${NAME:-otherwise}` in it. What is put in is not read again. */
export const substitute = (text: string, environment: Readonly<Record<string, string | undefined>>): Substituted => {
  const missing = new Set<string>();
  let isBroken = false;
  const replaced = text.replaceAll(REFERENCE, (whole, name: string | undefined, otherwise: string | undefined) => {
    if (whole === '$${') return '${';
    if (name === undefined) isBroken = true;
    else if (environment[name] !== undefined && (environment[name] !== '' || otherwise === undefined)) return environment[name];
    else if (otherwise === undefined) missing.add(name);
    return otherwise ?? '';
  });
  if (isBroken) return { ok: false, message: 'has a reference that is none; write ${NAME} or ${NAME:-otherwise}, and $${ for a plain ${' };
  if (missing.size === 0) return { ok: true, text: replaced };
  const names = [...missing].map((name) => `\${${name}}`).join(', ');
  return { ok: false, message: `refers to ${names}, which the environment does not have; set it, or write \${NAME:-otherwise}` };
};
