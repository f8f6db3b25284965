"""Generators in compiled code: which run step by step, and which run to their end at once.

Numba keeps the state of a generator on the stack of the caller, without a destructor: what a generator holds by
reference when its caller stops early, after a beta cutoff for example, is never released. So a generator that holds a
list, set, dict or array across a `yield`, or takes one as an argument, is compiled as a function that collects what it
yields and returns the list:

    for cell in cells:        ->   collected = []
        yield cell                 for cell in cells:
                                       collected.append(cell)
                                   return collected

Callers iterate over that list as over the generator, in the same order, and Numba releases it. All other generators,
which hold numbers, tuples, Bitboards and `as_list` lists only, run step by step. A generator of the search that reads
between its steps what its caller has found must therefore take no arrays; those of an evaluation are not counted.
"""

from __future__ import annotations

from typing import Any

from numba import types

from zermelo.compiled import _numba
from zermelo.compiled.rows import RowType


def compile_core(compiler: Any, plain: Any) -> Any:
    """Wrap the method by which a dispatcher's compiler compiles for one signature."""
    compiler.pipeline_class = Stepwise

    def compile_both_ways(args: Any, return_type: Any) -> Any:
        result = plain(args, return_type)
        if isinstance(result.signature.return_type, types.Generator) and _holds(result.signature.return_type):
            compiler.pipeline_class = Collecting
            try:
                result = plain(args, return_type)
            finally:
                compiler.pipeline_class = Stepwise
        return result

    return compile_both_ways


def _holds(kind: types.Type) -> bool:
    """Whether a value holds memory by reference; a generator: what it takes or keeps across a `yield`."""
    if isinstance(kind, types.Generator):
        return any(_holds(each) for each in (*kind.arg_types, *kind.state_types))
    return not isinstance(kind, types.Omitted) and _numba.is_counted(kind)


@_numba.register_pass(mutates_CFG=False, analysis_only=True)
class _RefuseSecondNames(_numba.FunctionPass):
    """Refuse a second name for an `as_list` list.

    The call that makes a list uses the same memory each time, so that a name for an earlier list would see the next.
    """

    _name = "refuse_second_names"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        copies = [
            each
            for block in state.func_ir.blocks.values()
            for each in block.find_insts(_numba.ir.Assign)
            if isinstance(each.value, _numba.ir.Var) and isinstance(state.typemap.get(each.target.name), RowType)
        ]
        sources: dict[str, set[str]] = {each.target.name: set() for each in copies}
        for _ in copies:  # follows chains of temporaries to a name
            for each in copies:
                name = each.value.unversioned_name
                sources[each.target.name] |= sources.get(each.value.name, set()) if name[0] == "$" else {name}
        for each in copies:
            own = each.target.unversioned_name
            others = sources[each.target.name] - {own}
            if others and not own.startswith("$"):
                other = min(others)
                raise _numba.TypingError(
                    f"'{own}' is a second name of the list '{other}', write {own} = as_list({other})", each.loc
                )
        return False


@_numba.register_pass(mutates_CFG=False, analysis_only=False)
class _CollectYields(_numba.FunctionPass):
    """Make a generator a function that returns the list of what it yields."""

    _name = "collect_yields"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        ir, function = _numba.ir, state.func_ir
        function.is_generator = function.func_id.is_generator = False
        entry = function.blocks[min(function.blocks)]
        collected = entry.scope.redefine("$collected", entry.loc)
        for block in function.blocks.values():
            body: list[Any] = []
            for step in block.body:
                if isinstance(step, ir.Assign) and isinstance(step.value, ir.Yield):
                    append = block.scope.redefine("$append", step.loc)
                    body.append(ir.Assign(ir.Expr.getattr(collected, "append", step.loc), append, step.loc))
                    call = ir.Expr.call(append, [step.value.value], (), step.loc)
                    body.append(ir.Assign(call, step.target, step.loc))
                elif isinstance(step, ir.Return):
                    returned = block.scope.redefine("$returned", step.loc)
                    body.append(ir.Assign(ir.Expr.cast(collected, step.loc), returned, step.loc))
                    body.append(ir.Return(returned, step.loc))
                else:
                    body.append(step)
            block.body = body
        entry.body.insert(0, ir.Assign(ir.Expr.build_list([], entry.loc), collected, entry.loc))
        return True


class Stepwise(_numba.CompilerBase):
    """Numba's pipeline for compiled code."""

    def define_pipelines(self) -> list[Any]:
        passes = _numba.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_RefuseSecondNames, _numba.NopythonTypeInference)
        passes.finalize()
        return [passes]


class Collecting(Stepwise):
    """The same for a generator that runs to its end at once."""

    def define_pipelines(self) -> list[Any]:
        [passes] = super().define_pipelines()
        passes.add_pass_after(_CollectYields, _numba.FixupArgs)
        passes.finalize()
        return [passes]
