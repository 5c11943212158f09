const IS_TOUCHED = '(pointer: coarse)';

/** Whether this device probably takes pictures by itself. Over plain http browsers tell nothing of cameras; telephones and tablets have one. */
export const hasCamera = async (): Promise<boolean> => {
  if (!matchMedia(IS_TOUCHED).matches) return false;
  const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => undefined)) ?? undefined;
  return devices?.some(({ kind }) => kind === 'videoinput') ?? true;
};

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** What a photo is called that was taken at `taken`: cameras name all of theirs alike. The letters behind the last dot stay. */
export const photoName = (name: string, taken: Date): string => {
  const extension = /\.(\w{1,5})$/.exec(name)?.[1]?.toLowerCase() ?? 'jpg';
  const day = [taken.getFullYear(), taken.getMonth() + 1, taken.getDate()].map(twoDigits).join('-');
  const time = [taken.getHours(), taken.getMinutes(), taken.getSeconds()].map(twoDigits).join('.');
  return `${day} ${time}.${extension}`;
};
