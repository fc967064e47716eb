import { aiSdkPruning } from './ai-sdk.js';
import { langChainContextEditing, langChainSummarization } from './langchain.js';
import type { Rival } from './rival.js';
import { slidingWindow } from './sliding-window.js';

export const RIVALS: readonly Rival[] = [slidingWindow, langChainSummarization, langChainContextEditing, aiSdkPruning];
