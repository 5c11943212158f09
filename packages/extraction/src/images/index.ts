export { PictureMaker } from './picture-maker.ts';
