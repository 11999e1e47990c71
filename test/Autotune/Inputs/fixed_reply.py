"""A stand-in for a language model: whatever it is asked, it proposes one block size."""
import json
import sys

sys.stdin.read()
print(json.dumps({"configs": [{"block_sizes": [int(sys.argv[1])], "rationale": "a fixed reply"}]}))
