/** Colours of new labels, far enough from each other to be told apart. */
const COLORS = ['#2f9e44', '#1971c2', '#e8590c', '#9c36b5', '#c2255c', '#0c8599', '#f08c00', '#6741d9', '#5c940d', '#495057'] as const;

let next = Math.floor(Math.random() * COLORS.length);

/** Another colour for each new label. */
export const newLabelColor = (): string => {
  next = (next + 1) % COLORS.length;
  return COLORS[next] ?? COLORS[0];
};
