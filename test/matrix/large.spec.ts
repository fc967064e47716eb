import { describeMatrix } from './describe-matrix.js';

describeMatrix(['pi-large-session']);
