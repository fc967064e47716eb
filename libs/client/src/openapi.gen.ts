// Generated from ../openapi.json by `npm run client:generate`. Do not edit.
export interface paths {
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process turns
         * @description When one of its loops has stopped it answers 503: only starting it again helps.
         */
        get: operations["getLive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the API can work
         * @description Each dependency with its reason. Without the queue runs are accepted and start when it is back.
         */
        get: operations["getReady"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of a project
         * @description Needs the scope `admin:read`.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Issue a key
         * @description The key is shown in this answer only. A key can give no scope that it does not have itself.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/api-keys/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description It stops working within seconds, in every process. Revoking again changes nothing.
         *
         *     Needs the scope `admin:write`.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who did what
         * @description Needs the scope `admin:read`.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/compactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compactions of the project
         * @description A stream finds those of its sub-streams too; `entry` those whose range holds that entry.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["listCompactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/compactions/{compaction}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One compaction
         * @description Needs the scope `admin:read`.
         */
        get: operations["getCompaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/compactions/{compaction}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The events behind a summary
         * @description All of its range, as they were stored. By `seq`: `next_cursor` is the last one and goes into `after`.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["listCompactionEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/compactions/{compaction}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask again for a range that was not compacted
         * @description A request of its own, on top of what the view shows now; back-off and breaker do not hold it back.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["retryCompaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/compactions/{compaction}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a summary out of the contexts again
         * @description The next context shows the events again, or the summary that this one superseded. The same range is not summarised again as it is.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["rollBackCompaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Steps that were given up
         * @description Needs the scope `admin:read`.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/dead-letters/{letter}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One step that was given up
         * @description Needs the scope `admin:read`.
         */
        get: operations["getDeadLetter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/dead-letters/{letter}/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a step up for good
         * @description It counts as failed and leaves the list; its run can still be retried.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["discardDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/dead-letters/{letter}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try a step again that was given up
         * @description Its run goes on in place, as `retry` does: with every step that did not succeed.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["redriveDeadLetter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects that the key administers
         * @description Needs the scope `admin:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Make a project
         * @description Only for keys of the project `default`, whose admins administer the installation.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/projects/{project}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One project
         * @description Needs the scope `admin:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How much of the project's work waits and runs
         * @description Needs the scope `admin:read`.
         */
        get: operations["getQueues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/reconcile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the sweeper would mend now
         * @description Compares what is stored with the queue and the clock, for this project, and changes nothing.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["findFaults"];
        put?: never;
        /**
         * Sweep now
         * @description What every process does every few seconds, at once. Doing it twice changes nothing.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["reconcile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams of the project
         * @description Needs the scope `admin:read`.
         */
        get: operations["listStreams"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One stream or sub-stream
         * @description Sizes, sub-streams, memory and the runs that hold it. A sub-stream shows those of its stream.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["getStream"];
        put?: never;
        post?: never;
        /**
         * Erase a stream
         * @description With its conversations, memory and the contents of its runs, of which none may be under way; of a sub-stream that conversation alone. Sequences, times and costs stay.
         *
         *     Needs the scope `admin:write`.
         */
        delete: operations["eraseStream"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recorded calls of a step, built again
         * @description All calls of all runs on this stream: whether they rebuild to their recorded hash, sizes, cost, what the linter says.
         *
         *     Needs the scope `content:read`.
         */
        get: operations["reviewCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/compactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a compaction of a conversation
         * @description Of all that may be summarised, whatever back-off and caps say. So a stream that stands at its hard cap is freed before its run is retried.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["requestCompaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/context-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What the calls of a step would have sent under another policy
         * @description Without a model: stored answers and results stay, frontiers and summaries are made anew (`compaction` is forced to `blocking` and `builtin:extractive`).
         *
         *     Needs the scope `content:read`.
         */
        post: operations["previewContext"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of one log
         * @description By `seq`. `next_cursor` is the last seq and goes into `after`.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["listStreamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Take a conversation out
         * @description `format=openai` gives messages in OpenAI’s chat form, which know no reasoning and no documents.
         *
         *     Needs the scope `content:read`.
         */
        get: operations["exportConversation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a conversation in
         * @description Into the conversation of one step, whole or not at all; the next run on the stream goes on in it. `dry_run` says what would be imported, mended when it is read and left out. Refused while a run holds the stream.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["importConversation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/streams/{stream}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a stream and its sub-streams
         * @description Gaps in `seq` and `entry`, the digest of every event, the context of every model call. A sub-stream is checked alone.
         *
         *     Needs the scope `admin:read`.
         */
        post: operations["verifyStream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Tokens, cost and calls
         * @description Grouped by any of `pipeline`, `model` and `day`, separated by commas. `from` is inclusive, `until` exclusive.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["reportUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workers that hold the project's work
         * @description An expired lease means that its worker is gone or hangs; the work is dispatched again. Idle workers hold nothing and are not listed.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["listWorkers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What people are or were asked to decide
         * @description Needs the scope `runs:read`.
         */
        get: operations["listApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One approval
         * @description Needs the scope `runs:read`.
         */
        get: operations["getApproval"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approval}/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or deny
         * @description The first decision holds; the same one again changes nothing, another one is refused with 409. `form` must fit the approval’s form, `arguments` the tool’s parameters.
         *
         *     Needs the scope `approvals:decide`.
         */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bulk-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel, retry, pause or resume many runs
         * @description Those that the filter finds and whose state allows it; the others are named with the reason. `dry_run` says what would happen.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["actOnRuns"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Hooks of the project
         * @description Needs the scope `admin:read`.
         */
        get: operations["listHooks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{hook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One hook
         * @description Needs the scope `admin:read`.
         */
        get: operations["getHook"];
        /**
         * Make a way in for another system, or change one
         * @description A verified delivery starts a run or sends a signal, once for each of the sender’s ids. Expressions are over `body`, `headers` (names in lower case) and `hook` (`name`). `delivery_id`: a template of the sender’s id; without it what the standard says (`webhook-id`, `idempotency-key`), for `hmac_sha256` else the signed content. `when`: deliveries for which it is not true are ignored.
         *
         *     Needs the scope `admin:write`.
         */
        put: operations["putHook"];
        /**
         * Deliver to a hook
         * @description The body: JSON or a form, at most 1 MiB. `hook` is the id of the hook’s `path`, and the delivery is verified as the hook says; or its name, with an API key that has the scope `runs:write`. The same delivery again (by the sender’s id) does nothing and gets the same receipt.
         */
        post: operations["deliverToHook"];
        /**
         * Delete a hook
         * @description Its address answers 404 from then on.
         *
         *     Needs the scope `admin:write`.
         */
        delete: operations["deleteHook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{hook}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a hook a new secret
         * @description Both are taken during `overlap`.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["rotateHookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pipelines of the project
         * @description Needs the scope `runs:read`.
         */
        get: operations["listPipelines"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One pipeline with its aliases
         * @description Needs the scope `runs:read`.
         */
        get: operations["getPipeline"];
        /**
         * Apply a pipeline
         * @description The same content again changes nothing; new content is the next version and, unless `promote=false`, what `live` points to.
         *
         *     Needs the scope `pipelines:write`.
         */
        put: operations["applyPipeline"];
        post?: never;
        /**
         * Delete a pipeline
         * @description No new runs start; those under way and its versions stay. Applying it again brings it back.
         *
         *     Needs the scope `pipelines:write`.
         */
        delete: operations["deletePipeline"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}/aliases/{alias}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Point an alias at a version
         * @description New runs start with what `live` points to, `weight` percent of them with what `canary` does (0: none); a stream keeps to one of the two. Runs under way keep their version.
         *
         *     Needs the scope `pipelines:write`.
         */
        put: operations["setPipelineAlias"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run
         * @description The answer shows the run as it was accepted; with `Prefer: wait` and an ended run, as it ended.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["startRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Versions of a pipeline
         * @description Needs the scope `runs:read`.
         */
        get: operations["listPipelineVersions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One version with its document
         * @description The document holds prompts: it is null for keys that have neither `content:read` nor `pipelines:write`.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["getPipelineVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/{name}/versions/{version}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Steps and edges of a version
         * @description Needs the scope `runs:read`.
         */
        get: operations["getPipelineGraph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pipelines/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a pipeline without storing it
         * @description Needs a valid key.
         */
        post: operations["validatePipeline"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recordings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Recordings of the project
         * @description Needs the scope `runs:read`.
         */
        get: operations["listRecordings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/recordings/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One recording with its transcript
         * @description Needs the scope `content:read`.
         */
        get: operations["getRecording"];
        /**
         * Upload a recorded session
         * @description At most 10 MiB. The model `replay:<name>` and tools of kind `replay` answer from it. One of the same name is replaced.
         *
         *     Needs the scope `pipelines:write`.
         */
        put: operations["putRecording"];
        post?: never;
        /**
         * Delete a recording
         * @description Runs that answer from it fail at their next call.
         *
         *     Needs the scope `pipelines:write`.
         */
        delete: operations["deleteRecording"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Runs of the project
         * @description Needs the scope `runs:read`.
         */
        get: operations["listRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One run
         * @description Needs the scope `runs:read`.
         */
        get: operations["getRun"];
        put?: never;
        post?: never;
        /**
         * Erase an ended run
         * @description Inputs, outputs, metadata, conversation and memory of the run and of those it started, and summaries over them. Sequences, times, status and costs stay; contexts that showed it answer `erased`.
         *
         *     Needs the scope `admin:write`.
         */
        delete: operations["eraseRun"];
        options?: never;
        head?: never;
        /**
         * Change tags, metadata, priority or the spend limit
         * @description What is given replaces what was there. `priority` and `spend_limit` of runs that have not ended; steps that stopped at the limit go on when it allows it.
         *
         *     Needs the scope `runs:write`.
         */
        patch: operations["labelRun"];
        trace?: never;
    };
    "/v1/runs/{run}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Waiting steps end at once, running ones are told within a second. Cancelling again changes nothing.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["cancelRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a run has spent
         * @description By step, compaction and child run (each with its own children), which sum up to `usage`; the run’s own calls also by model.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["getRunCost"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of a run
         * @description In the order of the feed. `next_cursor` goes into `after`; it is null only before the first event.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["listRunEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a run is where it is
         * @description Who holds its steps, what they wait for, what comes next and what one can do.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["explainRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a run
         * @description Running steps stop at their next turn boundary, no new ones begin; child runs are paused with it. Timers run on and people may decide. Pausing again changes nothing.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["pauseRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a paused run, or raise its spend limit
         * @description What stopped at a turn boundary goes on from there. Resuming a run that is not paused changes nothing.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["resumeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on from the steps that failed
         * @description In place: outputs of the other steps are kept, fresh steps see what they saw before, server settings and policies are resolved anew. `version`: `pinned`, or what `live` points to now.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["retryRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Steps of a run
         * @description Needs the scope `runs:read`.
         */
        get: operations["listSteps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One step
         * @description Of an item with `item`; of the latest round without `round`.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["getStep"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps/{step}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Model calls of a step
         * @description Needs the scope `runs:read`.
         */
        get: operations["listCalls"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps/{step}/calls/{call}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the model saw in a call
         * @description Built again from the stored events and compared with the recorded hash. Of an item with `item`; of the latest round that made the call without `round`.
         *
         *     Needs the scope `content:read`.
         */
        get: operations["getCallContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps/{step}/calls/{call}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A tool’s late result
         * @description For a call whose tool answered that its result comes later; `call` is the number of the model call that asked for it (1 for tool steps, whose `tool_call_id` is the step’s id). The step goes on when nothing else is awaited.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["completeToolCall"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/steps/{step}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Items of a step
         * @description Needs the scope `runs:read`.
         */
        get: operations["listStepItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of a run as they happen
         * @description Server-sent events: `snapshot` (the run), then `event` with the cursor as id, `delta` (text as it is generated, without id, only with `content:read`), at last `end`. `lagged` tells a slow client that it is dropped; come back with `Last-Event-ID`.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["streamRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Schedules of the project
         * @description Needs the scope `runs:read`.
         */
        get: operations["listSchedules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One schedule
         * @description Needs the scope `runs:read`.
         */
        get: operations["getSchedule"];
        /**
         * Make a schedule, or replace one
         * @description Each tick of `cron` in `timezone` starts one run, however many processes there are. Expressions in `start` are over `schedule` (`name`, `timezone`) and `tick` (`at`, RFC 3339; `date`, in the time zone). `overlap`: what becomes of a tick while a run of the schedule goes on; `catch_up`: what becomes of ticks that passed while nobody could start them.
         *
         *     Needs the scope `runs:write`.
         */
        put: operations["putSchedule"];
        post?: never;
        /**
         * Delete a schedule
         * @description Its runs go on; what it did is forgotten.
         *
         *     Needs the scope `runs:write`.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description Its runs go on. Pausing twice changes nothing.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on with a paused schedule
         * @description With its next tick from now on: those of the pause are not caught up.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a schedule’s run now
         * @description Beside its ticks, whatever goes on and also while it is paused; `tick.at` is now.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["runSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/ticks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What became of a schedule’s ticks
         * @description The last 200, and those whose runs go on.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["listTicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{name}/upcoming": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * When a schedule’s next ticks are
         * @description Also of one that is paused: when they would be.
         *
         *     Needs the scope `runs:read`.
         */
        get: operations["upcomingTicks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/signals/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signal that a run waits for, or will
         * @description One signal wakes one `wait_for` step of the same name and key, the one that has waited longest. A signal that comes first is kept. Send an Idempotency-Key where a repeated request must not count twice.
         *
         *     Needs the scope `runs:write`.
         */
        post: operations["sendSignal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/streams/{stream}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A conversation, for chat front ends
         * @description Messages of one step by entry, whole, whatever contexts mask or summarise; `order=desc` begins with the newest. `step` may be left out where the stream has one conversation.
         *
         *     Needs the scope `content:read`.
         */
        get: operations["listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhook endpoints of the project
         * @description Needs the scope `admin:read`.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Have events sent to an address
         * @description Each event of the named types is a POST, signed as Standard Webhooks say and repeated until it is answered with 2xx. Without `event_types`: the end of every run. With `include_content` (the key needs `content:read`) the event’s data with inputs, outputs and prompts are in it.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook endpoint
         * @description Needs the scope `admin:read`.
         */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description With its ledger; what waits for it is not sent any more.
         *
         *     Needs the scope `admin:write`.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook endpoint
         * @description A disabled one gets no new deliveries; what waits for it goes on when it is enabled again. An endpoint that took nothing for three days, or that answered 410, is disabled by itself.
         *
         *     Needs the scope `admin:write`.
         */
        patch: operations["changeWebhookEndpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was sent to an endpoint, and what was not
         * @description Deliveries that were taken are kept for 30 days, dead ones until the endpoint is deleted.
         *
         *     Needs the scope `admin:read`.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send deliveries again
         * @description Dead ones or those that were taken, under the same ids; receivers know them by `webhook-id`.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["redeliverWebhooks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give an endpoint a new secret
         * @description Both sign side by side during `overlap`, so that receivers can change over without a gap.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{endpoint}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description Of the type `WebhookTest`. A worker sends it within seconds; look for it among the deliveries.
         *
         *     Needs the scope `admin:write`.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Which Weir this is */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Alias: {
            /** @enum {string} */
            alias: "live" | "canary";
            name: string;
            version: number;
            weight: number;
        };
        ApiKey: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            id: string;
            name: string;
            project_id: string;
            revoked_at: string | null;
            scopes: string[];
        };
        /** @description `created` is false when the content was that of the latest version already. */
        AppliedPipeline: {
            created: boolean;
            name: string;
            notes: {
                code: string;
                detail: string;
                path: string;
            }[];
            promoted: boolean;
            version: number;
        };
        /** @description `kind`: `step` (an approval step), `tool` (a call of a tool with `requires_approval`), `unknown_outcome` (a call that may have been carried out; to approve is to make it again). `arguments` is the JSON text that the model wrote. Prompt, arguments and decision are null for keys that have neither `content:read` nor `approvals:decide`. */
        Approval: {
            arguments: string | null;
            call: number | null;
            decision: {
                arguments: string | null;
                comment: string | null;
                decided_at: string | null;
                decided_by: string | null;
                form: components["schemas"]["Json"];
            } | null;
            due_at: string | null;
            form: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            id: string;
            item: number | null;
            /** @enum {string} */
            kind: "step" | "tool" | "unknown_outcome";
            prompt: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            requested_at: string;
            round: number;
            run_id: string;
            /** @enum {string} */
            status: "pending" | "approved" | "denied" | "cancelled";
            step_id: string;
            tool: string | null;
        };
        ApprovalDecision: {
            arguments?: (string | {
                [key: string]: components["schemas"]["Json"];
            }) | null;
            comment?: string | null;
            /** @enum {string} */
            decision: "approve" | "deny";
            form?: components["schemas"]["Json"];
        };
        AuditEntry: {
            action: string;
            actor: string;
            detail: components["schemas"]["Json"];
            id: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            recorded_at: string;
            subject: string;
        };
        /** @description Newest runs first, `limit` of them; go on with `next_cursor`. */
        BulkAction: {
            /** @enum {string} */
            action: "cancel" | "retry" | "pause" | "resume";
            cursor?: string | null;
            /** @default false */
            dry_run?: boolean;
            filter: {
                /** Format: date-time */
                created_after?: string;
                /** Format: date-time */
                created_before?: string;
                pipeline?: string;
                status?: ("queued" | "running" | "waiting" | "cancelling" | "succeeded" | "failed" | "cancelled" | "timed_out" | "dead_letter")[];
                stream_id?: string;
                tag?: string;
            };
            /** @default 100 */
            limit?: number;
        };
        /** @description `done`: runs that it was done to, or with `dry_run` would be. */
        BulkActionDone: {
            /** @enum {string} */
            action: "cancel" | "retry" | "pause" | "resume";
            done: string[];
            dry_run: boolean;
            has_more: boolean;
            matched: number;
            next_cursor: string | null;
            skipped: {
                code: string;
                detail: string;
                run_id: string;
            }[];
        };
        Call: {
            call: number;
            chars: number;
            context_hash: string;
            cost_usd: number | null;
            ended_at: string | null;
            error: {
                class: string;
                detail: string;
            } | null;
            finish_reason: string | null;
            item: number | null;
            message_count: number;
            model: string;
            policy_hash: string;
            round: number;
            run_id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            started_at: string;
            /** @enum {string} */
            status: "started" | "completed" | "failed";
            step_id: string;
            tokens: number;
            tool_calls: {
                name: string;
                ordinal: number;
                status: string | null;
            }[];
            try: number;
            upto_seq: number;
            usage: {
                cached_tokens: number;
                input_tokens: number;
                output_tokens: number;
            } | null;
            wire_hash: string | null;
        };
        /** @description What the model saw in a call, built again from the stored events. `diff` only with `diff=previous`: against the request before it in the same view; `message` is an index into `messages`. */
        CallContext: {
            api_format: ("openai_chat" | "openai_responses" | "anthropic" | "anthropic_thinking" | "gemini" | "bedrock" | "strict_chat") | null;
            call: number;
            context_hash: string;
            cutoff_seq: number | null;
            diff: {
                common_prefix_chars: number;
                first_difference: {
                    /** @enum {string} */
                    cause: "appended" | "tools_changed" | "system_prompt_changed" | "compacted" | "rolled_back" | "memory_changed" | "policy_changed" | "model_changed" | "forgotten" | "masked" | "shortened" | "elided" | "truncated" | "reasoning_dropped" | "media_limited" | "repaired";
                    message: number | null;
                } | null;
            } | null;
            item: number | null;
            messages: {
                chars: number;
                content: components["schemas"]["Json"];
                entries: number[];
                pinned: boolean;
                /** @enum {string} */
                role: "system" | "user" | "assistant" | "tool";
                /** @enum {string} */
                state: "whole" | "masked" | "shortened" | "elided" | "summarised" | "forgotten" | "truncated" | "before_cutoff" | "other_run" | "repaired_away";
                synthetic: boolean;
                tool_call_id: string | null;
                tool_calls: {
                    arguments: string;
                    id: string;
                    name: string;
                }[] | null;
            }[];
            model: string;
            omitted: {
                chars: number;
                entries: [
                    number,
                    number
                ];
                /** @enum {string} */
                state: "whole" | "masked" | "shortened" | "elided" | "summarised" | "forgotten" | "truncated" | "before_cutoff" | "other_run" | "repaired_away";
            }[];
            policy_hash: string;
            /** @enum {string} */
            rebuilt: "equal" | "differs_by_version" | "erased" | "corrupt";
            report: {
                [key: string]: components["schemas"]["Json"];
            };
            round: number;
            run_id: string;
            step_id: string;
            try: number;
            upto_seq: number;
            wire_hash: string | null;
        };
        /** @description Every recorded call of a step on this stream, built again from its events. */
        CallReview: {
            calls: {
                attempt: number;
                build_ms: number | null;
                call: number;
                chars: number;
                chars_unmanaged: number;
                common_prefix_chars: number;
                compacted: number;
                context_hash: string | null;
                cost: number;
                /** @enum {string} */
                event: "call";
                item: number | null;
                lint: {
                    detail: string;
                    index: number | null;
                    /** @enum {string} */
                    rule: "system_role" | "first_role" | "last_role" | "alternation" | "empty_content" | "unsupported_part" | "media_limit" | "call_without_result" | "result_without_call" | "call_id" | "repeated_call_id" | "call_name" | "call_count" | "tool_name" | "tool_count" | "arguments" | "malformed_text" | "reasoning";
                }[];
                masked: number;
                message_index: number | null;
                messages: number;
                omitted: number;
                /** @enum {string} */
                outcome: "ready" | "wait" | "over_hard_cap";
                /** @enum {string} */
                rebuilt: "equal" | "differs_by_version" | "erased" | "corrupt";
                run_call: number | null;
                run_id: string | null;
                step_id: string;
                tokens: number;
                try: number;
            }[];
            total: components["schemas"]["CallTotal"] | null;
        };
        /** @description `cost` in chars: read × common prefix + write × the rest. `masked`: distinct entries. */
        CallTotal: {
            calls: number;
            chars: number;
            chars_unmanaged: number;
            compactions: number;
            cost: number;
            cost_unmanaged: number;
            /** @enum {string} */
            event: "total";
            lint_violations: number;
            masked: number;
            over_hard_cap: number;
            tokens: number;
        };
        ChangeWebhookEndpoint: {
            description?: string | null;
            enabled?: boolean;
            event_types?: ("RunCreated" | "RunStarted" | "RunSucceeded" | "RunFailed" | "RunCancelled" | "RunTimedOut" | "RunDeadLettered" | "RunRetried" | "RunPaused" | "RunResumed" | "StepFailed" | "StepDeadLettered" | "ApprovalRequested" | "ApprovalDecided")[];
            include_content?: boolean;
            url?: string;
        };
        /** @description `range` (seqs) and `entries` are inclusive; `…/events` gives the events behind them. `attempts[].outcome` says why one was skipped. `summary` is null for keys without `content:read`. */
        Compaction: {
            allowed_actions: ("retry" | "rollback")[];
            attempts: components["schemas"]["Json"][];
            bytes_saved: number | null;
            chars_after: number | null;
            chars_before: number | null;
            ended_at: string | null;
            entries: [
                number,
                number
            ];
            id: string;
            live: boolean;
            policy_hash: string;
            range: [
                number,
                number
            ];
            reason: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            requested_at: string;
            run_id: string | null;
            source_digest: string | null;
            /** @enum {string} */
            status: "requested" | "running" | "compacted" | "skipped" | "discarded" | "failed" | "rolled_back";
            stream_id: string;
            summarizer: {
                extractive: boolean;
                model: string | null;
            };
            summary: string | null;
            supersedes: string | null;
            usage: components["schemas"]["Usage"];
        };
        /** @description The same builds over the stored stream under another policy, without a model. `context` is what the next call would see; null: the step made no call. */
        ContextPreview: {
            calls: {
                call: number;
                chars: number;
                chars_unmanaged: number;
                common_prefix_chars: number;
                compacted: number;
                context_hash: string | null;
                cost: number;
                /** @enum {string} */
                event: "call";
                lint: {
                    detail: string;
                    index: number | null;
                    /** @enum {string} */
                    rule: "system_role" | "first_role" | "last_role" | "alternation" | "empty_content" | "unsupported_part" | "media_limit" | "call_without_result" | "result_without_call" | "call_id" | "repeated_call_id" | "call_name" | "call_count" | "tool_name" | "tool_count" | "arguments" | "malformed_text" | "reasoning";
                }[];
                masked: number;
                message_index: number | null;
                messages: number;
                omitted: number;
                /** @enum {string} */
                outcome: "ready" | "wait" | "over_hard_cap";
                tokens: number;
            }[];
            context: {
                api_format: ("openai_chat" | "openai_responses" | "anthropic" | "anthropic_thinking" | "gemini" | "bedrock" | "strict_chat") | null;
                context_hash: string | null;
                item: number | null;
                messages: {
                    chars: number;
                    content: components["schemas"]["Json"];
                    entries: number[];
                    pinned: boolean;
                    /** @enum {string} */
                    role: "system" | "user" | "assistant" | "tool";
                    /** @enum {string} */
                    state: "whole" | "masked" | "shortened" | "elided" | "summarised" | "forgotten" | "truncated" | "before_cutoff" | "other_run" | "repaired_away";
                    synthetic: boolean;
                    tool_call_id: string | null;
                    tool_calls: {
                        arguments: string;
                        id: string;
                        name: string;
                    }[] | null;
                }[];
                model: string;
                omitted: {
                    chars: number;
                    entries: [
                        number,
                        number
                    ];
                    /** @enum {string} */
                    state: "whole" | "masked" | "shortened" | "elided" | "summarised" | "forgotten" | "truncated" | "before_cutoff" | "other_run" | "repaired_away";
                }[];
                /** @enum {string} */
                outcome: "ready" | "wait" | "over_hard_cap";
                policy_hash: string;
                report: {
                    [key: string]: components["schemas"]["Json"];
                };
                run_id: string | null;
                step_id: string;
                upto_seq: number;
            } | null;
            total: components["schemas"]["CallTotal"];
        };
        /** @description `policy` is a `context` block. `step_id` may be left out where the stream has one step only. `model`: its window, prices and form instead of those that were recorded. */
        ContextPreviewRequest: {
            api_format?: ("openai_chat" | "openai_responses" | "anthropic" | "anthropic_thinking" | "gemini" | "bedrock" | "strict_chat") | null;
            item?: number | null;
            model?: string | null;
            policy: {
                [key: string]: components["schemas"]["Json"];
            };
            run_id?: string | null;
            step_id?: string;
            upto_seq?: number | null;
        };
        /** @description `{source?, messages[], events?[]}`, or a list of messages; OpenAI’s chat form is taken too. */
        Conversation: unknown;
        /** @description Whole, whatever contexts mask or summarise. An import takes it as it is, without `stream_id`. */
        ConversationExport: {
            item: number | null;
            memory: {
                [key: string]: components["schemas"]["Json"];
            };
            source_id: string;
            step_id: string;
            stream_id: string;
            transcript: components["schemas"]["Json"];
        };
        ConversationImported: {
            appended: number;
            item: number | null;
            report: {
                answers: number;
                entries: number;
                left_out: {
                    message_index: number;
                    reason: string;
                }[];
                messages: number;
                repairs: {
                    detail: string;
                    entries: number[];
                    rule: string;
                }[];
                results: number;
            };
            source_id: string;
            /** @enum {string} */
            status: "imported" | "unchanged" | "would_import";
            step_id: string;
            stream_id: string;
            version: number;
        };
        /** @description `status` is a result’s, or why an answer ended. */
        ConversationMessage: {
            chars: number;
            content: components["schemas"]["Json"];
            entry: number;
            injected: boolean;
            /** @enum {string} */
            kind: "user" | "documents" | "memory" | "answer" | "result";
            model: string | null;
            name: string | null;
            origin: ("task" | "user" | "import") | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            recorded_at: string;
            /** @enum {string} */
            role: "user" | "assistant" | "tool";
            run_id: string | null;
            status: string | null;
            tool_call_id: string | null;
            tool_calls: {
                arguments: string;
                id: string;
                name: string;
            }[];
        };
        DeadLetter: {
            attempt: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            dead_at: string;
            error: components["schemas"]["RunError"] | null;
            id: string;
            item: number | null;
            pipeline: string;
            round: number;
            run_id: string;
            starts: number;
            step_id: string;
        };
        /** @description `status` is that of its run now. */
        DeadLetterSettled: {
            id: string;
            run_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "cancelling" | "succeeded" | "failed" | "cancelled" | "timed_out" | "dead_letter";
        };
        /** @description `data` is null where it holds content and the key lacks `content:read`. */
        Event: {
            chars: number;
            cursor: string;
            data: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            digest: string;
            entry: number | null;
            event_id: string;
            item: number | null;
            position: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            recorded_at: string;
            round: number;
            run_id: string | null;
            schema_version: number;
            seq: number;
            step_id: string | null;
            stream_id: string;
            type: string;
        };
        /** @description What the next sweep would mend. All of them are 0 most of the time. */
        Faults: {
            due_waits: number;
            expired_leases: number;
            lost_jobs: number;
            overdue_runs: number;
            overdue_steps: number;
            startable_runs: number;
            stuck_runs: number;
        };
        /** @description `path`: where senders POST to. */
        Hook: {
            action: {
                start: components["schemas"]["RunTemplate"];
            } | {
                signal: components["schemas"]["SignalTemplate"];
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            delivery_id: string | null;
            id: string;
            name: string;
            path: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            verification: {
                /** @enum {string} */
                kind: "standard_webhooks";
            } | {
                /** @enum {string} */
                kind: "token";
            } | {
                /**
                 * @default hex
                 * @enum {string}
                 */
                encoding: "hex" | "base64";
                header: unknown;
                /** @enum {string} */
                kind: "hmac_sha256";
                /** @default  */
                prefix: string;
                /** @default {body} */
                signed: string;
                /** @default null */
                timestamp_header: unknown | null;
            };
            when: string | null;
        };
        /** @description `repeated`: this delivery came before, and nothing was done again. `run_id` of a signal: the run that goes on with it. */
        HookReceipt: {
            /** @enum {string} */
            outcome: "started" | "signalled" | "ignored";
            repeated: boolean;
            run_id: string | null;
            signal_id: string | null;
        };
        /** @description `secret`: of a new one, shown in this answer only; else null. */
        HookWithSecret: {
            action: {
                start: components["schemas"]["RunTemplate"];
            } | {
                signal: components["schemas"]["SignalTemplate"];
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            delivery_id: string | null;
            id: string;
            name: string;
            path: string;
            secret: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            verification: {
                /** @enum {string} */
                kind: "standard_webhooks";
            } | {
                /** @enum {string} */
                kind: "token";
            } | {
                /**
                 * @default hex
                 * @enum {string}
                 */
                encoding: "hex" | "base64";
                header: unknown;
                /** @enum {string} */
                kind: "hmac_sha256";
                /** @default  */
                prefix: string;
                /** @default {body} */
                signed: string;
                /** @default null */
                timestamp_header: unknown | null;
            };
            when: string | null;
        };
        /** @description `source_id` names the conversation where it comes from: importing it again adds only what is new. An export has this form. */
        ImportConversation: {
            /** @default false */
            dry_run?: boolean;
            item?: number | null;
            memory?: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            source_id?: string | null;
            step_id?: string | null;
            transcript: components["schemas"]["Conversation"];
        };
        /** @description `key` is shown once: null when the answer is replayed for an Idempotency-Key. */
        IssuedApiKey: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            id: string;
            key: string | null;
            name: string;
            project_id: string;
            revoked_at: string | null;
            scopes: string[];
        };
        /** @description Any JSON value */
        Json: unknown;
        LateResult: {
            content: string | {
                [key: string]: components["schemas"]["Json"];
            }[];
            /** @default false */
            is_error?: boolean;
            tool_call_id: string;
        };
        LateResultAccepted: {
            call: number;
            run_id: string;
            step_id: string;
            tool_call_id: string;
        };
        Live: {
            /** @enum {string} */
            status: "live";
        };
        NewApiKey: {
            name: string;
            project_id?: string;
            scopes: ("pipelines:write" | "runs:write" | "runs:read" | "content:read" | "approvals:decide" | "admin:read" | "admin:write")[];
        };
        NewProject: {
            id: string;
            name?: string;
        };
        NewWebhookEndpoint: {
            /** @default null */
            description?: string | null;
            event_types?: ("RunCreated" | "RunStarted" | "RunSucceeded" | "RunFailed" | "RunCancelled" | "RunTimedOut" | "RunDeadLettered" | "RunRetried" | "RunPaused" | "RunResumed" | "StepFailed" | "StepDeadLettered" | "ApprovalRequested" | "ApprovalDecided")[];
            /** @default false */
            include_content?: boolean;
            url: string;
        };
        PatchRun: {
            metadata?: {
                [key: string]: components["schemas"]["Json"];
            };
            priority?: number;
            spend_limit?: components["schemas"]["SpendLimit"];
            tags?: string[];
        };
        Pipeline: {
            aliases: {
                [key: string]: {
                    /**
                     * Format: date-time
                     * @description RFC 3339, UTC
                     */
                    updated_at: string;
                    version: number;
                    weight: number;
                };
            };
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            latest_version: number;
            name: string;
        };
        /** @description `inside` names the step whose body a node belongs to. */
        PipelineGraph: {
            edges: {
                from: string;
                /** @enum {string} */
                kind: "depends_on" | "on_error";
                to: string;
            }[];
            name: string;
            nodes: {
                id: string;
                inside: string | null;
                /** @enum {string} */
                join: "all" | "any";
                kind: string;
                when: string | null;
            }[];
            version: number;
        };
        PipelineVersion: {
            content_hash: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            document: components["schemas"]["Json"];
            name: string;
            version: number;
        };
        PipelineVersionSummary: {
            content_hash: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            version: number;
        };
        Problem: {
            allowed_actions: string[];
            checks?: {
                [key: string]: {
                    detail: string;
                    ok: boolean;
                };
            };
            code: string;
            detail: string;
            errors: components["schemas"]["ProblemFault"][];
            instance: string;
            request_id: string;
            required_scope?: string;
            retry_after_ms: number | null;
            retryable: boolean;
            status: number;
            title: string;
            type: string;
        };
        ProblemFault: {
            code: string;
            detail: string;
            /** @enum {string} */
            in: "body" | "query" | "path" | "header";
            pointer: string;
        } & {
            [key: string]: unknown;
        };
        Project: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            id: string;
            name: string;
        };
        /** @description `secret`: where the sender gives one; else Weir makes it, and shows it in the answer. */
        PutHook: {
            action: {
                start: components["schemas"]["RunTemplate"];
            } | {
                signal: components["schemas"]["SignalTemplate"];
            };
            /** @default null */
            delivery_id?: string | null;
            secret?: string | null;
            verification: {
                /** @enum {string} */
                kind: "standard_webhooks";
            } | {
                /** @enum {string} */
                kind: "token";
            } | {
                /**
                 * @default hex
                 * @enum {string}
                 */
                encoding?: "hex" | "base64";
                header: string;
                /** @enum {string} */
                kind: "hmac_sha256";
                /** @default  */
                prefix?: string;
                /** @default {body} */
                signed?: string;
                timestamp_header?: string | null;
            };
            /** @default null */
            when?: string | null;
        };
        PutSchedule: {
            /**
             * @default latest
             * @enum {string}
             */
            catch_up?: "skip" | "latest" | "all";
            /** @default 1d */
            catch_up_window?: string;
            cron: string;
            /**
             * @default skip
             * @enum {string}
             */
            overlap?: "skip" | "allow" | "queue" | "cancel";
            start: components["schemas"]["RunTemplate"];
            /** @default UTC */
            timezone?: string;
        };
        /** @description `runnable` is still in Postgres, `dispatched` in the queue and not yet claimed. */
        Queues: {
            /** @enum {string} */
            backend: "redis" | "postgres";
            compactions: {
                dispatched: number;
                oldest_runnable_at: string | null;
                runnable: number;
                running: number;
                waiting: number;
            };
            steps: {
                dispatched: number;
                oldest_runnable_at: string | null;
                runnable: number;
                running: number;
                waiting: number;
            };
        };
        Ready: {
            checks: {
                [key: string]: {
                    detail: string;
                    ok: boolean;
                };
            };
            /** @enum {string} */
            status: "ready";
        };
        /** @description Of the whole installation; `failures` are rows that could not be mended. */
        Reconciled: {
            advanced_runs: number;
            begun_runs: number;
            expired_leases: number;
            failures: number;
            redispatched: number;
            timed_out_runs: number;
            timed_out_steps: number;
            woken: number;
        };
        Recording: {
            bytes: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            hash: string;
            name: string;
        };
        RecordingWithTranscript: {
            bytes: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            hash: string;
            name: string;
            transcript: components["schemas"]["Json"];
        };
        /** @description What fits all that is given, at most 1,000 at once. */
        Redeliver: {
            delivery_ids?: string[];
            /** Format: date-time */
            since?: string;
            /** @enum {string} */
            status?: "dead" | "delivered";
        };
        Redelivered: {
            redelivered: number;
        };
        /** @description `step_id` may be left out where the path names a sub-stream or the stream has one only. `run_id`: the view of that run (`fresh` steps); else that of the last start. `min_tail_turns`: this once in place of the policy’s, for a tail that is itself too large. */
        RequestCompaction: {
            item?: number;
            min_tail_turns?: number;
            run_id?: string;
            step_id?: string;
        };
        /** @description `spend_limit` changes the run’s, for one that stopped at its limit. */
        ResumeRun: {
            spend_limit?: components["schemas"]["SpendLimitChange"] | null;
        };
        RetryRun: {
            /**
             * @default pinned
             * @enum {string}
             */
            version?: "pinned" | "live";
        };
        RotateHookSecret: {
            /** @default 1d */
            overlap?: string;
            secret?: string | null;
        };
        /** @description `overlap`: how long the secret before holds beside the new one. */
        RotateSecret: {
            /** @default 1d */
            overlap?: string;
        };
        /** @description `inputs`, `output` and `metadata` are null for keys without `content:read`. */
        Run: {
            allowed_actions: string[];
            blocked_on: {
                id: string | null;
                kind: string;
                since: string | null;
            }[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            ended_at: string | null;
            error: components["schemas"]["RunError"] | null;
            id: string;
            inputs: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            metadata: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            output: components["schemas"]["Json"];
            pipeline: {
                name: string;
                version: number;
            };
            priority: number;
            started_at: string | null;
            status: components["schemas"]["RunStatus"];
            status_detail: string | null;
            status_reason: string | null;
            steps: components["schemas"]["RunStep"][];
            stream_id: string;
            tags: string[];
            usage: components["schemas"]["Usage"];
        };
        RunCancelled: {
            allowed_actions: string[];
            id: string;
            status: components["schemas"]["RunStatus"];
        };
        RunCost: {
            children: {
                item: number | null;
                pipeline: string;
                run_id: string;
                step_id: string;
                usage: components["schemas"]["Usage"];
            }[];
            compactions: {
                id: string;
                usage: components["schemas"]["Usage"];
            }[];
            models: {
                model: string;
                usage: components["schemas"]["Usage"];
            }[];
            run_id: string;
            steps: {
                id: string;
                item: number | null;
                round: number;
                usage: components["schemas"]["Usage"];
            }[];
            usage: components["schemas"]["Usage"];
        };
        RunError: {
            code: string;
            detail: string;
            step_id: string | null;
        };
        RunExplanation: {
            allowed_actions: string[];
            blocked_on: {
                id: string | null;
                kind: string;
                since: string | null;
            }[];
            next: string | null;
            run_id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            since: string;
            status: components["schemas"]["RunStatus"];
            status_detail: string | null;
            status_reason: string | null;
            steps: {
                attempt: number;
                detail: string;
                due_at: string | null;
                hard_cap: {
                    cap: number;
                    contributors: {
                        chars: number;
                        entry: number | null;
                        kind: string;
                        name: string | null;
                    }[];
                    knob: string;
                    size: number;
                } | null;
                held_by: string | null;
                item: number | null;
                lease_until: string | null;
                next: string | null;
                reason: string | null;
                round: number;
                since: string | null;
                starts: number;
                /** @enum {string} */
                status: "pending" | "queued" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled" | "timed_out" | "dead_letter";
                step_id: string;
            }[];
        };
        RunPaused: {
            allowed_actions: string[];
            id: string;
            paused: boolean;
            /** @enum {string} */
            status: "queued" | "running" | "waiting" | "cancelling" | "succeeded" | "failed" | "cancelled" | "timed_out" | "dead_letter";
        };
        /** @description `steps` are those that run again. */
        RunRetried: {
            id: string;
            steps: string[];
            version: number;
        };
        /** @enum {string} */
        RunStatus: "queued" | "running" | "waiting" | "cancelling" | "succeeded" | "failed" | "cancelled" | "timed_out" | "dead_letter";
        RunStep: {
            attempt: number;
            ended_at: string | null;
            id: string;
            item: number | null;
            kind: string;
            reason: string | null;
            round: number;
            started_at: string | null;
            starts: number;
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled" | "timed_out" | "dead_letter";
        };
        RunSummary: {
            allowed_actions: string[];
            blocked_on: {
                id: string | null;
                kind: string;
                since: string | null;
            }[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            ended_at: string | null;
            error: components["schemas"]["RunError"] | null;
            id: string;
            metadata: {
                [key: string]: components["schemas"]["Json"];
            } | null;
            pipeline: {
                name: string;
                version: number;
            };
            priority: number;
            started_at: string | null;
            status: components["schemas"]["RunStatus"];
            status_detail: string | null;
            status_reason: string | null;
            stream_id: string;
            tags: string[];
            usage: components["schemas"]["Usage"];
        };
        /** @description Strings in `inputs`, `stream_id` and `metadata` may hold `${…}`; `version` null: what is live. */
        RunTemplate: {
            /** @default {} */
            inputs: {
                [key: string]: components["schemas"]["Json"];
            };
            /** @default {} */
            metadata: {
                [key: string]: components["schemas"]["Json"];
            };
            pipeline: string;
            /** @default 0 */
            priority: number;
            /** @default null */
            stream_id: string | null;
            /** @default [] */
            tags: string[];
            /** @default null */
            version: number | null;
        };
        /** @description `next_at` null: its pattern has no tick any more. */
        Schedule: {
            /** @enum {string} */
            catch_up: "skip" | "latest" | "all";
            catch_up_window_ms: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            cron: string;
            name: string;
            next_at: string | null;
            /** @enum {string} */
            overlap: "skip" | "allow" | "queue" | "cancel";
            paused_at: string | null;
            start: components["schemas"]["RunTemplate"];
            timezone: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
        };
        ScheduledRun: {
            run_id: string;
        };
        SendSignal: {
            key: string;
            payload?: components["schemas"]["Json"];
        };
        /** @description `run_id`: the run that goes on with it; null: it is kept for the next that waits. */
        SentSignal: {
            id: string;
            key: string;
            name: string;
            run_id: string | null;
        };
        SetAlias: {
            version: number;
            /** @default 100 */
            weight?: number;
        };
        SignalTemplate: {
            key: string;
            name: string;
            /** @default null */
            payload: components["schemas"]["Json"];
        };
        /** @description Of the run with its child runs; a bound that is absent or null is none. */
        SpendLimit: {
            cost_usd?: number | null;
            /**
             * @default pause
             * @enum {string}
             */
            on_exceeded?: "pause" | "fail";
            tokens?: number | null;
            tool_calls?: number | null;
        };
        /** @description What is absent stays as it is; null takes a bound away. */
        SpendLimitChange: {
            cost_usd?: number | null;
            /** @enum {string} */
            on_exceeded?: "pause" | "fail";
            tokens?: number | null;
            tool_calls?: number | null;
        };
        /** @description `messages`: what was said before, for a stream without a conversation, shown to each agent that keeps one. `delay`: a duration such as `5m`. */
        StartRun: {
            deadline?: string | null;
            delay?: string | null;
            /** @default {} */
            inputs?: {
                [key: string]: components["schemas"]["Json"];
            };
            messages?: components["schemas"]["Conversation"] | null;
            /** @default {} */
            metadata?: {
                [key: string]: components["schemas"]["Json"];
            };
            /** @default 0 */
            priority?: number;
            spend_limit?: components["schemas"]["SpendLimit"] | null;
            stream_id?: string | null;
            /** @default [] */
            tags?: string[];
            version?: number | null;
        };
        /** @description `output` is null for keys without `content:read`. */
        Step: {
            attempt: number;
            cutoff_seq: number | null;
            due_at: string | null;
            ended_at: string | null;
            error: components["schemas"]["RunError"] | null;
            id: string;
            item: number | null;
            kind: string;
            manifest: string | null;
            output: components["schemas"]["Json"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            queued_at: string;
            reason: string | null;
            releases: number;
            round: number;
            run_id: string;
            started_at: string | null;
            starts: number;
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled" | "timed_out" | "dead_letter";
            sub_stream_id: string;
            timeout_at: string | null;
            usage: components["schemas"]["Usage"];
            worker_id: string | null;
        };
        /** @description `context`: the policy that the step follows, all levels merged; null for steps without a context and before the first start. */
        StepDetail: {
            attempt: number;
            context: {
                policy: {
                    blocks: {
                        /** @default 0.5 */
                        compaction_target_ratio: number;
                        /** @default 0.8 */
                        compaction_trigger_ratio: number;
                        /** @default 5 */
                        keep_last_blocks: number;
                        /** @default null */
                        window_width_tokens: number | null;
                    } | null;
                    budget: {
                        /** @default 3 */
                        keep_recent_turns: number;
                        /** @default null */
                        max_context_items: number | null;
                        /** @default null */
                        max_tokens: number | null;
                        /** @default null */
                        summary_model: string | null;
                    } | null;
                    compaction: {
                        /** @default 12000 */
                        max_summary_chars: number;
                        /**
                         * @default async
                         * @enum {string}
                         */
                        mode: "async" | "blocking";
                        /** @default null */
                        model: string | null;
                        /** @default 0.5 */
                        target_ratio: number;
                        /** @default 120000 */
                        wait_ms: number;
                    };
                    memory: {
                        /** @default 2000 */
                        max_value_chars: number;
                        /**
                         * @default inline
                         * @enum {string}
                         */
                        placement: "inline" | "before_tail";
                    };
                    /** @enum {string} */
                    mode: "inherit" | "fresh";
                    window: {
                        /** @default null */
                        forget_after_turns: number | null;
                        /** @default 600000 */
                        hard_cap_chars: number;
                        /** @default auto */
                        mask_batch_turns: "auto" | number;
                        /** @default 4 */
                        min_tail_turns: number;
                        /** @default 10 */
                        observation_window: number;
                        /** @default 400000 */
                        soft_cap_chars: number;
                    } | null;
                };
                policy_hash: string;
            } | null;
            cutoff_seq: number | null;
            due_at: string | null;
            ended_at: string | null;
            error: components["schemas"]["RunError"] | null;
            id: string;
            item: number | null;
            kind: string;
            manifest: string | null;
            output: components["schemas"]["Json"];
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            queued_at: string;
            reason: string | null;
            releases: number;
            round: number;
            run_id: string;
            started_at: string | null;
            starts: number;
            /** @enum {string} */
            status: "pending" | "queued" | "running" | "waiting" | "succeeded" | "failed" | "skipped" | "cancelled" | "timed_out" | "dead_letter";
            sub_stream_id: string;
            timeout_at: string | null;
            usage: components["schemas"]["Usage"];
            worker_id: string | null;
        };
        /** @description `memory` is null for keys without `content:read`. */
        Stream: {
            active: boolean;
            chars: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            entries: number;
            holds: {
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                acquired_at: string;
                mode: string;
                run_id: string;
            }[];
            memory: {
                key: string;
                seq: number;
                value: components["schemas"]["Json"];
            }[] | null;
            root_stream_id: string;
            stream_id: string;
            sub_streams: {
                chars: number;
                entries: number;
                stream_id: string;
                /**
                 * Format: date-time
                 * @description RFC 3339, UTC
                 */
                updated_at: string;
                version: number;
            }[];
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            version: number;
        };
        /** @description `version` is the last seq of the log; `active`: a run holds the stream. */
        StreamSummary: {
            active: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            entries: number;
            stream_id: string;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            version: number;
        };
        /** @description `contexts`: what building each recorded call again gave; only `corrupt` is a fault. */
        StreamVerification: {
            calls: number;
            contexts: {
                corrupt: number;
                differs_by_version: number;
                equal: number;
                erased: number;
            };
            erased: number;
            events: number;
            faults: {
                code: string;
                detail: string;
                seq: number;
                stream_id: string;
            }[];
            logs: number;
            ok: boolean;
            stream_id: string;
        };
        /** @description `ticks`: of missed ones, how many from `at` on. `detail`: why none was started. */
        Tick: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            at: string;
            detail: string | null;
            manual: boolean;
            /** @enum {string} */
            outcome: "started" | "skipped" | "missed" | "failed";
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            recorded_at: string;
            run_id: string | null;
            ticks: number;
        };
        /** @description A recorded session: `{source?, messages[], events?[]}`; unknown keys are kept. */
        Transcript: unknown;
        UpcomingTicks: {
            data: string[];
        };
        Usage: {
            cached_tokens: number;
            cost_usd: number;
            input_tokens: number;
            model_calls: number;
            output_tokens: number;
            tool_calls: number;
        };
        /** @description Groups that were not asked for are null. Days are UTC. */
        UsageReport: {
            data: {
                day: string | null;
                model: string | null;
                pipeline: string | null;
                usage: components["schemas"]["Usage"];
            }[];
            group_by: ("pipeline" | "model" | "day")[];
        };
        ValidatedPipeline: {
            name: string;
            notes: {
                code: string;
                detail: string;
                path: string;
            }[];
            /** @enum {boolean} */
            valid: true;
        };
        Version: {
            /** @enum {string} */
            api: "v1";
            /** @enum {string} */
            name: "weir";
            node: string;
            version: string;
        };
        /** @description `dead`: all attempts failed; it waits for `redeliver`. `id` is the header `webhook-id` of each attempt. */
        WebhookDelivery: {
            attempts: number;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            ended_at: string | null;
            endpoint_id: string;
            event_id: string | null;
            event_type: string;
            id: string;
            last_attempt_at: string | null;
            last_error: string | null;
            last_status: number | null;
            next_attempt_at: string | null;
            run_id: string | null;
            /** @enum {string} */
            status: "pending" | "delivered" | "dead";
        };
        /** @description `failures`: attempts since the last delivery that was taken. */
        WebhookEndpoint: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            description: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            enabled: boolean;
            event_types: string[];
            failing_since: string | null;
            failures: number;
            id: string;
            include_content: boolean;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            url: string;
        };
        /** @description `secret` is shown in this answer only; null in a replayed one. */
        WebhookEndpointWithSecret: {
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            created_at: string;
            description: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            enabled: boolean;
            event_types: string[];
            failing_since: string | null;
            failures: number;
            id: string;
            include_content: boolean;
            secret: string | null;
            /**
             * Format: date-time
             * @description RFC 3339, UTC
             */
            updated_at: string;
            url: string;
        };
        Worker: {
            expired_leases: number;
            id: string;
            /** @enum {string} */
            kind: "steps" | "compactions";
            lease_until: string | null;
            oldest_started_at: string | null;
            running: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getLive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It does. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Live"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getReady: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ready. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Ready"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                project_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of keys, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        responses: {
            /** @description The key. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revoked key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deeds, newest first. `actor` is a key. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCompactions: {
        parameters: {
            query?: {
                cursor?: string;
                entry?: number;
                limit?: number;
                status?: "requested" | "running" | "compacted" | "skipped" | "discarded" | "failed" | "rolled_back";
                stream_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of compactions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Compaction"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCompaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                compaction: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The compaction. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCompactionEvents: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
                types?: string;
            };
            header?: never;
            path: {
                compaction: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryCompaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                compaction: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new request. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rollBackCompaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                compaction: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The compaction, rolled back. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of steps, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeadLetter"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The step, with its diagnosis. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    discardDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is off the list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterSettled"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redriveDeadLetter: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                letter: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetterSettled"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listProjects: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of projects, by id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Project"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewProject"];
            };
        };
        responses: {
            /** @description The project. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                project: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getQueues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Queues"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    findFaults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Faults"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reconcile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was mended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciled"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStreams: {
        parameters: {
            query?: {
                active?: "true" | "false";
                cursor?: string;
                limit?: number;
                prefix?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of streams, by id, without their sub-streams. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StreamSummary"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Stream"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reviewCalls: {
        parameters: {
            query?: {
                item?: number;
                step_id?: string;
            };
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The calls in the order in which they were sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallReview"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    requestCompaction: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RequestCompaction"];
            };
        };
        responses: {
            /** @description Requested. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Compaction"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    previewContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ContextPreviewRequest"];
            };
        };
        responses: {
            /** @description Sizes and costs of each call, and the context of the next one. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ContextPreview"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStreamEvents: {
        parameters: {
            query?: {
                after?: number;
                limit?: number;
                types?: string;
            };
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    exportConversation: {
        parameters: {
            query?: {
                format?: "transcript" | "openai";
                item?: number;
                step_id?: string;
            };
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The conversation of one step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationExport"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    importConversation: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportConversation"];
            };
        };
        responses: {
            /** @description What was imported. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConversationImported"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verifyStream: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What was checked and found; `ok` is false when there are faults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StreamVerification"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reportUsage: {
        parameters: {
            query?: {
                from?: string;
                group_by?: string;
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One row per combination. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageReport"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWorkers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Worker"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listApprovals: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                run_id?: string;
                status?: "pending" | "approved" | "denied" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of approvals, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Approval"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getApproval: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                approval: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                approval: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalDecision"];
            };
        };
        responses: {
            /** @description The decided approval. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    actOnRuns: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkAction"];
            };
        };
        responses: {
            /** @description What was done to which runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkActionDone"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listHooks: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of hooks, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Hook"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hook"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutHook"];
            };
        };
        responses: {
            /** @description The hook, with its secret where it is new. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookWithSecret"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deliverToHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Taken. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookReceipt"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteHook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateHookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateHookSecret"];
            };
        };
        responses: {
            /** @description The hook, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookWithSecret"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPipelines: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pipelines, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Pipeline"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pipeline. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pipeline"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    applyPipeline: {
        parameters: {
            query?: {
                promote?: "true" | "false";
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        /** @description The pipeline. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description The version that holds this content already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedPipeline"];
                };
            };
            /** @description A new version. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedPipeline"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deletePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setPipelineAlias: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                alias: "live" | "canary";
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetAlias"];
            };
        };
        responses: {
            /** @description The alias. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Alias"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    startRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
                /** @description `wait=30`: answer 200 with the ended run if it ends within so many seconds (at most 60), else 202. */
                prefer?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartRun"];
            };
        };
        responses: {
            /** @description Ended within the preferred wait. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPipelineVersions: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of versions, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PipelineVersionSummary"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPipelineVersion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineVersion"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getPipelineGraph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                version: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The graph. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineGraph"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    validatePipeline: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The pipeline. */
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
                "application/yaml": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            /** @description It would be accepted. Faults are answered as 422. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ValidatedPipeline"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRecordings: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of recordings, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Recording"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordingWithTranscript"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Transcript"];
            };
        };
        responses: {
            /** @description The recording. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Recording"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteRecording: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRuns: {
        parameters: {
            query?: {
                created_after?: string;
                created_before?: string;
                cursor?: string;
                limit?: number;
                pipeline?: string;
                status?: string;
                stream_id?: string;
                tag?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of runs, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RunSummary"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run with its first 1,000 steps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    eraseRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Erased. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    labelRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PatchRun"];
            };
        };
        responses: {
            /** @description The run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancelRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description The run has been told, or has ended already by it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCancelled"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getRunCost: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The spending so far. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunCost"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listRunEvents: {
        parameters: {
            query?: {
                after?: string;
                limit?: number;
                types?: string;
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Event"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    explainRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The explanation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunExplanation"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    reason?: string | null;
                };
            };
        };
        responses: {
            /** @description The run is paused. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPaused"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResumeRun"];
            };
        };
        responses: {
            /** @description The run goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPaused"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    retryRun: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RetryRun"];
            };
        };
        responses: {
            /** @description The run goes on. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunRetried"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSteps: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of steps, by id, item and round. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Step"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getStep: {
        parameters: {
            query?: {
                item?: number;
                round?: number;
            };
            header?: never;
            path: {
                run: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The step. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepDetail"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listCalls: {
        parameters: {
            query?: {
                item?: number;
            };
            header?: never;
            path: {
                run: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every try of every call, in the order in which they were sent. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Call"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getCallContext: {
        parameters: {
            query?: {
                diff?: "previous";
                item?: number;
                round?: number;
            };
            header?: never;
            path: {
                call: number;
                run: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The request, what is not in it and why. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallContext"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    completeToolCall: {
        parameters: {
            query?: {
                item?: number;
            };
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                call: number;
                run: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LateResult"];
            };
        };
        responses: {
            /** @description The result is stored. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LateResultAccepted"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listStepItems: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                run: string;
                step: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of items, by number. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Step"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    streamRun: {
        parameters: {
            query?: {
                after?: string;
            };
            header?: {
                /** @description Go on after this cursor. */
                "last-event-id"?: string;
            };
            path: {
                run: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of schedules, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Schedule"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    putSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSchedule"];
            };
        };
        responses: {
            /** @description Replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description Made. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pauseSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    runSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run is accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledRun"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listTicks: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of ticks, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Tick"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    upcomingTicks: {
        parameters: {
            query?: {
                count?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Times, the next one first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpcomingTicks"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sendSignal: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SendSignal"];
            };
        };
        responses: {
            /** @description The signal is kept, and delivered where somebody waited. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentSignal"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listMessages: {
        parameters: {
            query?: {
                cursor?: string;
                item?: number;
                limit?: number;
                order?: "asc" | "desc";
                step?: string;
            };
            header?: never;
            path: {
                stream: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ConversationMessage"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of endpoints, oldest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookEndpoint"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhookEndpoint"];
            };
        };
        responses: {
            /** @description The endpoint, with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    changeWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeWebhookEndpoint"];
            };
        };
        responses: {
            /** @description The endpoint. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                cursor?: string;
                limit?: number;
                run_id?: string;
                status?: "pending" | "delivered" | "dead";
            };
            header?: never;
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries, newest first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        has_more: boolean;
                        next_cursor: string | null;
                    };
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    redeliverWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Redeliver"];
            };
        };
        responses: {
            /** @description How many are sent again. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivered"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** @description The endpoint, with its new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422. */
                "idempotency-key"?: string;
            };
            path: {
                endpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, not yet sent. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The version. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
            /** @description What went wrong. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
