export const AGENT_REQUESTS: unknown = {
  "operations": [
    {
      "operationId": "registerAgent",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "in": "header",
          "description": "Stored for 24 hours per caller; not for a refused request. Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with another body or on another route: a 422; while the first request is in progress: a 409.",
          "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x20-\\x7e]+$"
          }
        }
      ],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/RegisterRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "sendHeartbeat",
      "parameters": [],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/HeartbeatRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "pollCommands",
      "parameters": [
        {
          "name": "agent_id",
          "in": "query",
          "schema": {
            "format": "uuid",
            "type": "string"
          }
        },
        {
          "name": "wait",
          "in": "query",
          "description": "Maximum number of seconds to wait for a command.",
          "schema": {
            "minimum": 0,
            "maximum": 60,
            "default": 0,
            "type": "number"
          }
        },
        {
          "name": "limit",
          "in": "query",
          "schema": {
            "minimum": 1,
            "maximum": 50,
            "default": 10,
            "type": "integer"
          }
        },
        {
          "name": "since",
          "in": "query",
          "description": "Informational: a command that was not acknowledged is delivered in any case.",
          "schema": {
            "type": "string"
          }
        }
      ]
    },
    {
      "operationId": "acknowledgeCommand",
      "parameters": [],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/AcknowledgeCommandRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "getOwnStatus",
      "parameters": [
        {
          "name": "agent_id",
          "in": "path",
          "schema": {
            "type": "string",
            "format": "uuid"
          },
          "required": true
        }
      ]
    },
    {
      "operationId": "claimRuns",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "in": "header",
          "description": "Stored for 24 hours per caller; not for a refused request. Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with another body or on another route: a 422; while the first request is in progress: a 409.",
          "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x20-\\x7e]+$"
          }
        }
      ],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/ClaimRunsRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "reportRuns",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "in": "header",
          "description": "Stored for 24 hours per caller; not for a refused request. Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with another body or on another route: a 422; while the first request is in progress: a 409.",
          "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x20-\\x7e]+$"
          }
        }
      ],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/ReportRunsRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "submitLogs",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "in": "header",
          "description": "Stored for 24 hours per caller; not for a refused request. Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with another body or on another route: a 422; while the first request is in progress: a 409.",
          "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x20-\\x7e]+$"
          }
        }
      ],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "anyOf": [
                {
                  "$ref": "#/components/schemas/LogEntry"
                },
                {
                  "$ref": "#/components/schemas/LogBatch"
                }
              ]
            }
          }
        }
      }
    },
    {
      "operationId": "submitMetrics",
      "parameters": [
        {
          "name": "Idempotency-Key",
          "in": "header",
          "description": "Stored for 24 hours per caller; not for a refused request. Repeating the key with the same body returns the first response, with `Idempotency-Replayed: true`; with another body or on another route: a 422; while the first request is in progress: a 409.",
          "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": 255,
            "pattern": "^[\\x20-\\x7e]+$"
          }
        }
      ],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "anyOf": [
                {
                  "$ref": "#/components/schemas/MetricEntry"
                },
                {
                  "$ref": "#/components/schemas/MetricBatch"
                }
              ]
            }
          }
        }
      }
    },
    {
      "operationId": "askApproval",
      "parameters": [],
      "requestBody": {
        "required": true,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/AskApprovalRequest"
            }
          }
        }
      }
    },
    {
      "operationId": "waitForApproval",
      "parameters": [
        {
          "name": "approval_id",
          "in": "path",
          "schema": {
            "type": "string",
            "format": "uuid"
          },
          "required": true
        },
        {
          "name": "wait",
          "in": "query",
          "description": "Maximum number of seconds to wait for an answer.",
          "schema": {
            "minimum": 0,
            "maximum": 60,
            "default": 0,
            "type": "number"
          }
        }
      ]
    },
    {
      "operationId": "withdrawApproval",
      "parameters": [
        {
          "name": "approval_id",
          "in": "path",
          "schema": {
            "type": "string",
            "format": "uuid"
          },
          "required": true
        }
      ],
      "requestBody": {
        "required": false,
        "content": {
          "application/json": {
            "schema": {
              "$ref": "#/components/schemas/WithdrawApprovalRequest"
            }
          }
        }
      }
    }
  ],
  "components": {
    "schemas": {
      "AcknowledgeCommandRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "command_id": {
            "type": "string",
            "format": "uuid"
          },
          "success": {
            "type": "boolean"
          },
          "result": {
            "oneOf": [
              {
                "type": "object",
                "additionalProperties": true
              },
              {
                "type": "array",
                "items": {}
              },
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ],
            "description": "Any JSON value, stored with the command. At most 1048576 bytes as JSON, numbers without an exponent."
          },
          "error": {
            "type": [
              "string",
              "null"
            ],
            "description": "Cut after 8192 characters."
          },
          "completed_at": {
            "type": "string",
            "format": "date-time",
            "description": "Ignored: the service's clock counts."
          }
        },
        "required": [
          "command_id",
          "success"
        ],
        "examples": [
          {
            "command_id": "0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5",
            "success": true,
            "result": {
              "pid": 4711
            }
          }
        ]
      },
      "ApprovalActionRequest": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "args": {
            "oneOf": [
              {
                "type": "object",
                "additionalProperties": true
              },
              {
                "type": "array",
                "items": {}
              },
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ],
            "description": "Any JSON value, at most 32768 bytes as JSON. Shown to people unchanged."
          }
        },
        "required": [
          "name"
        ],
        "examples": [
          {
            "name": "send_payment",
            "args": {
              "to": "DE02120300000000202051",
              "euros": 120
            }
          }
        ]
      },
      "ApprovalDecision": {
        "type": "string",
        "enum": [
          "approve",
          "edit",
          "reject",
          "respond"
        ]
      },
      "ApprovalRisk": {
        "type": "string",
        "enum": [
          "low",
          "medium",
          "high"
        ]
      },
      "AskApprovalRequest": {
        "type": "object",
        "properties": {
          "approval_key": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "The agent's own id for the question, for example the id of a tool call. Repeating it returns the same approval."
          },
          "run_id": {
            "type": "string",
            "format": "uuid",
            "description": "The run that waits for it, one that the agent has."
          },
          "title": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "description": {
            "type": "string",
            "minLength": 1,
            "maxLength": 8192
          },
          "action": {
            "$ref": "#/components/schemas/ApprovalActionRequest"
          },
          "risk": {
            "description": "Absent: `medium`.",
            "$ref": "#/components/schemas/ApprovalRisk"
          },
          "allowed_decisions": {
            "type": "array",
            "minItems": 1,
            "uniqueItems": true,
            "default": [
              "approve",
              "reject"
            ],
            "description": "The decisions that the agent accepts.",
            "items": {
              "$ref": "#/components/schemas/ApprovalDecision"
            }
          },
          "expires_in_seconds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 2592000,
            "description": "Time to decide. Default: a day."
          },
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          }
        },
        "required": [
          "approval_key",
          "title",
          "action"
        ],
        "examples": [
          {
            "approval_key": "call_17",
            "title": "Pay invoice 4711",
            "description": "It is due on Friday.",
            "action": {
              "name": "send_payment",
              "args": {
                "to": "DE02120300000000202051",
                "euros": 120
              }
            },
            "expires_in_seconds": 3600
          }
        ]
      },
      "ClaimRunsRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "limit": {
            "type": "integer",
            "minimum": 0,
            "maximum": 100,
            "default": 1,
            "description": "Maximum number of runs to take. With 0, the reply only names runs to end early."
          },
          "deployment_id": {
            "type": "string",
            "format": "uuid",
            "description": "The deployment that does the work. Default: the agent's newest active one."
          },
          "wait": {
            "type": "number",
            "minimum": 0,
            "maximum": 60,
            "default": 0,
            "description": "Maximum number of seconds to wait for a run."
          }
        },
        "examples": [
          {
            "limit": 1
          }
        ]
      },
      "DeploymentReport": {
        "type": "object",
        "properties": {
          "deployment_id": {
            "type": "string",
            "format": "uuid",
            "description": "A deployment that does not belong to the agent (any more) is ignored."
          },
          "status": {
            "description": "Only `running`, `ready`, `failed` and `completed` change the deployment's status; any other word is ignored. `completed`: all replicas have ended successfully and none will restart; the deployment becomes `stopped`.",
            "$ref": "#/components/schemas/ReportedStatus"
          },
          "ready_replicas": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2147483647
          },
          "observed_generation": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2147483647,
            "description": "The generation of the report. A report from before the last restart is ignored."
          },
          "node_id": {
            "type": "string",
            "maxLength": 255
          },
          "error_message": {
            "type": "string",
            "description": "Cut after 8192 characters."
          },
          "restart_count": {
            "type": "integer",
            "minimum": 0,
            "maximum": 2147483647,
            "description": "Restarts of its replicas since the last deploy or restart. Five within ten minutes are a crash loop."
          },
          "last_exit": {
            "description": "The last end of a replica.",
            "allOf": [
              {
                "$ref": "#/components/schemas/LastExitResponse"
              }
            ]
          }
        },
        "required": [
          "deployment_id"
        ],
        "examples": [
          {
            "deployment_id": "0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5"
          }
        ]
      },
      "HeartbeatRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "status": {
            "$ref": "#/components/schemas/HeartbeatStatus"
          },
          "message": {
            "type": "string",
            "description": "Cut after 8192 characters."
          },
          "timestamp": {
            "type": "string",
            "format": "date-time",
            "description": "Ignored: the service's clock counts."
          },
          "hostname": {
            "type": "string",
            "maxLength": 255
          },
          "platform": {
            "type": "string",
            "maxLength": 200
          },
          "version": {
            "type": "string",
            "maxLength": 200
          },
          "deployments": {
            "type": "array",
            "maxItems": 1000,
            "description": "A report that breaks a rule is skipped, and listed in `refused` of the reply.",
            "items": {
              "$ref": "#/components/schemas/DeploymentReport"
            }
          },
          "runs": {
            "type": "array",
            "items": {
              "type": "string",
              "format": "uuid"
            },
            "maxItems": 1000,
            "description": "Ids of all runs that the agent has; renews their leases. A run missing from two heartbeats in a row is abandoned. Absent: the leases stay as they are."
          }
        },
        "examples": [
          {}
        ]
      },
      "HeartbeatStatus": {
        "type": "string",
        "enum": [
          "running",
          "idle",
          "stopped",
          "error"
        ]
      },
      "LastExitResponse": {
        "type": "object",
        "properties": {
          "code": {
            "type": "integer",
            "format": "int64",
            "minimum": -2147483648,
            "maximum": 4294967295
          },
          "signal": {
            "type": "string",
            "maxLength": 32
          },
          "message": {
            "type": "string",
            "maxLength": 1000,
            "description": "The last line of its output."
          },
          "at": {
            "type": "string",
            "format": "date-time"
          }
        },
        "required": [
          "at"
        ],
        "examples": [
          {
            "code": 1,
            "signal": "SIGKILL",
            "message": "out of memory",
            "at": "2026-01-31T09:30:00.000Z"
          }
        ]
      },
      "LogBatch": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "logs": {
            "type": "array",
            "maxItems": 1000,
            "description": "Stored together, or not at all.",
            "items": {
              "$ref": "#/components/schemas/LogEntry"
            }
          }
        },
        "required": [
          "logs"
        ],
        "examples": [
          {
            "logs": []
          }
        ]
      },
      "LogEntry": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "deployment_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "A deployment of this agent. Default: its active deployment, if there is exactly one."
          },
          "run_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "The run of this agent that the entry belongs to. Without `deployment_id`, the entry also belongs to the deployment that took the run."
          },
          "timestamp": {
            "type": [
              "string",
              "null"
            ],
            "format": "date-time",
            "description": "When it happened. Without a time zone: UTC. Absent, or more than five minutes in the future: the service's time."
          },
          "level": {
            "description": "Case-insensitive; `warn` and `fatal` are accepted, too.",
            "$ref": "#/components/schemas/LogLevel"
          },
          "message": {
            "type": "string",
            "description": "What is longer than 65536 bytes in UTF-8 is cut, and then ends with `…[truncated]`."
          },
          "metadata": {
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true,
            "description": "Additional data of your own. At most 16384 bytes as JSON, and twice that with numbers written without exponents."
          }
        },
        "required": [
          "level",
          "message"
        ],
        "examples": [
          {
            "deployment_id": "0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5",
            "run_id": null,
            "timestamp": "2026-01-31T09:30:00.000Z",
            "level": "warning",
            "message": "The mailbox answers slowly",
            "metadata": {
              "took_ms": 2350
            }
          }
        ]
      },
      "LogLevel": {
        "type": "string",
        "enum": [
          "debug",
          "info",
          "warning",
          "error",
          "critical"
        ]
      },
      "MetricBatch": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "metrics": {
            "type": "array",
            "maxItems": 1000,
            "description": "Stored together, or not at all.",
            "items": {
              "$ref": "#/components/schemas/MetricEntry"
            }
          }
        },
        "required": [
          "metrics"
        ],
        "examples": [
          {
            "metrics": []
          }
        ]
      },
      "MetricEntry": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "deployment_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "A deployment of this agent. Default: its active deployment, if there is exactly one."
          },
          "run_id": {
            "type": [
              "string",
              "null"
            ],
            "format": "uuid",
            "description": "The run of this agent that the entry belongs to. Without `deployment_id`, the entry also belongs to the deployment that took the run."
          },
          "timestamp": {
            "type": [
              "string",
              "null"
            ],
            "format": "date-time",
            "description": "When it happened. Without a time zone: UTC. Absent, or more than five minutes in the future: the service's time."
          },
          "cpu_usage": {
            "type": [
              "number",
              "null"
            ],
            "format": "double",
            "minimum": 0,
            "description": "In a unit of your own, such as percent."
          },
          "memory_usage": {
            "type": [
              "number",
              "null"
            ],
            "format": "double",
            "minimum": 0,
            "description": "In a unit of your own."
          },
          "uptime_seconds": {
            "type": [
              "number",
              "null"
            ],
            "format": "double",
            "minimum": 0,
            "description": "How long the agent has been running."
          },
          "requests_processed": {
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991,
            "description": "Number of requests that the agent has processed."
          },
          "errors_count": {
            "type": [
              "integer",
              "null"
            ],
            "format": "int64",
            "minimum": 0,
            "maximum": 9007199254740991,
            "description": "Number of errors in the agent."
          },
          "custom": {
            "type": [
              "object",
              "null"
            ],
            "additionalProperties": true,
            "description": "Measurements of your own. At most 16384 bytes as JSON, and twice that with numbers written without exponents."
          }
        },
        "examples": [
          {
            "deployment_id": "0192f0c2-5d0a-7a1e-8f3b-64d1a2c9e7f5",
            "run_id": null,
            "timestamp": "2026-01-31T09:30:00.000Z",
            "cpu_usage": 12.5,
            "memory_usage": 48.2,
            "uptime_seconds": 86400,
            "requests_processed": 1204,
            "errors_count": 3,
            "custom": {
              "queue_length": 7
            }
          }
        ]
      },
      "RegisterRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "project_id": {
            "type": "string",
            "format": "uuid",
            "description": "One of the caller's projects. Default: the personal one or, for a project's key, its project."
          },
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "description": {
            "type": "string",
            "maxLength": 2000
          },
          "version": {
            "type": "string",
            "maxLength": 200
          },
          "hostname": {
            "type": "string",
            "maxLength": 255
          },
          "platform": {
            "type": "string",
            "maxLength": 200
          },
          "capabilities": {
            "oneOf": [
              {
                "type": "object",
                "additionalProperties": true
              },
              {
                "type": "array",
                "items": {}
              },
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ],
            "description": "What the agent can do: any JSON value. At most 262144 bytes as JSON, numbers without an exponent."
          },
          "metadata": {
            "type": "object",
            "additionalProperties": true,
            "description": "At most 1048576 bytes as JSON, numbers without an exponent."
          },
          "runtime": {
            "description": "The program that speaks the protocol for the agent; only shown to people. A value that is too long is cut, an invalid one ignored.",
            "allOf": [
              {
                "$ref": "#/components/schemas/RuntimeSoftwareRequest"
              }
            ]
          },
          "runs": {
            "type": "array",
            "items": {
              "type": "string",
              "format": "uuid"
            },
            "maxItems": 1000,
            "description": "Ids of the runs that the runtime still has. All other runs of the agent are abandoned at once."
          }
        },
        "examples": [
          {
            "project_id": "0192f0c0-11aa-7b1e-8d2f-3f3a8f0a9c11",
            "name": "invoice-reader",
            "version": "1.4.2",
            "hostname": "worker-7",
            "platform": "linux/x64",
            "capabilities": [
              "chat",
              "tools"
            ],
            "metadata": {
              "zone": "b"
            }
          }
        ]
      },
      "ReportRunsRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          },
          "runs": {
            "type": "array",
            "maxItems": 500,
            "description": "An entry that breaks a rule is skipped, and listed in `refused` of the reply.",
            "items": {
              "$ref": "#/components/schemas/RunReportEntry"
            }
          }
        },
        "required": [
          "runs"
        ],
        "examples": [
          {
            "runs": [
              {
                "run_key": "import-2026-01-31",
                "attempt": 1,
                "status": "succeeded",
                "output": {
                  "answer": 42
                },
                "name": "daily report",
                "input": {
                  "file": "invoices.csv"
                },
                "conversation_id": "ticket-4711",
                "labels": {
                  "team": "billing"
                },
                "started_at": "2026-01-31T09:30:00.000Z",
                "ended_at": "2026-01-31T09:30:00.000Z"
              }
            ]
          }
        ]
      },
      "ReportedRunStatus": {
        "type": "string",
        "enum": [
          "queued",
          "running",
          "waiting",
          "succeeded",
          "failed",
          "cancelled"
        ]
      },
      "ReportedStatus": {
        "type": "string",
        "enum": [
          "deploying",
          "running",
          "ready",
          "stopped",
          "failed",
          "killed",
          "completed"
        ]
      },
      "RunProgressResponse": {
        "type": "object",
        "properties": {
          "percent": {
            "type": "number",
            "minimum": 0,
            "maximum": 100
          },
          "message": {
            "type": "string",
            "maxLength": 1000
          }
        },
        "examples": [
          {
            "percent": 40,
            "message": "reading page 4 of 10"
          }
        ]
      },
      "RunReportEntry": {
        "type": "object",
        "properties": {
          "run_id": {
            "type": "string",
            "format": "uuid",
            "description": "The run's id, from the claim."
          },
          "run_key": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "Instead of `run_id`: the agent's own id for a run that it starts itself."
          },
          "attempt": {
            "type": "integer",
            "minimum": 1,
            "maximum": 2147483647,
            "description": "The attempt that the report is about, from the claim. A report about an older attempt does not change a newer one. Default: the newest."
          },
          "status": {
            "description": "`queued` returns a run that has not started, because the runtime stops.",
            "$ref": "#/components/schemas/ReportedRunStatus"
          },
          "output": {
            "oneOf": [
              {
                "type": "object",
                "additionalProperties": true
              },
              {
                "type": "array",
                "items": {}
              },
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ],
            "description": "Any JSON value, at most 262144 bytes as JSON."
          },
          "error": {
            "type": "string",
            "description": "Cut after 8192 characters."
          },
          "progress": {
            "$ref": "#/components/schemas/RunProgressResponse"
          },
          "waiting_reason": {
            "type": "string",
            "description": "Cut after 1000 characters."
          },
          "name": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200
          },
          "input": {
            "oneOf": [
              {
                "type": "object",
                "additionalProperties": true
              },
              {
                "type": "array",
                "items": {}
              },
              {
                "type": "string"
              },
              {
                "type": "number"
              },
              {
                "type": "boolean"
              }
            ],
            "description": "For a run that the agent starts itself; at most 262144 bytes as JSON."
          },
          "conversation_id": {
            "type": "string",
            "minLength": 1,
            "maxLength": 200,
            "description": "A name of your own for what the run continues; a filter for runs."
          },
          "labels": {
            "type": "object",
            "maxProperties": 32,
            "propertyNames": {
              "minLength": 1,
              "maxLength": 64
            },
            "additionalProperties": {
              "type": "string",
              "maxLength": 128
            },
            "description": "Keys must not contain a colon."
          },
          "started_at": {
            "type": "string",
            "format": "date-time",
            "description": "For a run that the agent starts itself, by the agent's clock. Without a zone: UTC."
          },
          "ended_at": {
            "type": "string",
            "format": "date-time",
            "description": "The end, by the agent's clock. Without a zone: UTC."
          }
        },
        "required": [
          "status"
        ],
        "examples": [
          {
            "run_key": "import-2026-01-31",
            "attempt": 1,
            "status": "succeeded",
            "output": {
              "answer": 42
            },
            "name": "daily report",
            "input": {
              "file": "invoices.csv"
            },
            "conversation_id": "ticket-4711",
            "labels": {
              "team": "billing"
            },
            "started_at": "2026-01-31T09:30:00.000Z",
            "ended_at": "2026-01-31T09:30:00.000Z"
          }
        ]
      },
      "RuntimeSoftwareRequest": {
        "type": "object",
        "properties": {
          "name": {
            "type": "string",
            "maxLength": 100
          },
          "version": {
            "type": "string",
            "maxLength": 100
          },
          "protocol": {
            "type": "integer",
            "minimum": 0,
            "maximum": 32767,
            "description": "The protocol version of the runtime."
          }
        },
        "required": [
          "name"
        ],
        "examples": [
          {
            "name": "my-runtime",
            "version": "1.4.2",
            "protocol": 1
          }
        ]
      },
      "WithdrawApprovalRequest": {
        "type": "object",
        "properties": {
          "agent_id": {
            "type": "string",
            "format": "uuid",
            "description": "Must be the agent of the key."
          }
        },
        "examples": [
          {}
        ]
      }
    }
  }
};
